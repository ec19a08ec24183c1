# The verification cases in the order of `minimod verify --list`, each with its cost: the light ones run by default, the
# slow ones when they are named or with `all`. NAME:COST stands for the function NAME_case() of NAME.cpp. The program's
# table and the CTest entries come from this list.
set(MINIMOD_CASES
  green:light order_in_time:slow order_in_space:light dispersion:light stability:light reciprocity:light energy:light
  free_surface:light boundaries:slow off_grid:light kernels:light original:light)
