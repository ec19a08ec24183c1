# The verification cases in the order of `minimod verify --list`, each with its cost: the light ones run by default, the
# slow ones when they are named or with `all`, the longest when they are named. NAME:COST stands for the function
# NAME_case::body() of NAME.cpp here or in a folder. The program's table and the CTest entries come from this list.
set(MINIMOD_CASES
  green:light order_in_time:slow order_in_space:light dispersion:light stability:light free_surface:light two_layers:light
  reciprocity:light energy:light boundaries:slow off_grid:light kernels:slow original:light precision:slow
  spacing:light positions:light wavelets:light ghosts:light time_step:light interfaces:light echoes:slow heat:light density:light vti:light long:slow long_all:longest)
