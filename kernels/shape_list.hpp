/// The list of the tiled code shapes: one line a shape. The registry, the tests and the benchmarks follow
/// from it.
#pragma once

#include "kernels/shapes/gmem.hpp"
#include "kernels/shapes/gmem_column.hpp"
#include "kernels/shapes/in_plane.hpp"
#include "kernels/shapes/semi.hpp"
#include "kernels/shapes/smem_eta.hpp"
#include "kernels/shapes/smem_partial.hpp"
#include "kernels/shapes/smem_u.hpp"
#include "kernels/shapes/st_reg.hpp"
#include "kernels/shapes/st_semi.hpp"
#include "kernels/shapes/st_smem.hpp"
#include "kernels/shapes/st_window.hpp"
#include "kernels/type_list.hpp"

namespace minimod {

using ShapeList = TypeList<                 //
    Tiled<Gmem, 4, 4, 4>,                   //
    Tiled<Gmem, 8, 8, 4>,                   //
    Tiled<Gmem, 8, 8, 8>,                   //
    Tiled<Gmem, 16, 16, 4>,                 //
    Tiled<Gmem, 32, 32, 1>,                 //
    Tiled<GmemColumn, 32, 8, 8>,            //
    Tiled<SmemU, 8, 8, 8>,                  //
    Tiled<SmemEta1, 8, 8, 8>,               //
    Tiled<SmemEta3, 8, 8, 8>,               //
    Tiled<Semi, 8, 8, 8>,                   //
    Tiled<StSmem, 8, 8>,                    //
    Tiled<StSmem, 8, 16>,                   //
    Tiled<StSmem, 16, 8>,                   //
    Tiled<StSmem, 16, 16>,                  //
    Tiled<StRegShft, 8, 8>,                 //
    Tiled<StRegShft, 16, 16>,               //
    Tiled<StRegShft, 16, 32>,               //
    Tiled<StRegShft, 16, 64>,               //
    Tiled<StRegShft, 32, 16>,               //
    Tiled<StRegShft, 32, 32>,               //
    Tiled<StRegShft, 64, 16>,               //
    Tiled<StRegFixed, 8, 8>,                //
    Tiled<StRegFixed, 16, 8>,               //
    Tiled<StRegFixed, 16, 16>,              //
    Tiled<StRegFixed, 32, 16>,              //
    Tiled<StRegFixed, 32, 32>,              //
    Tiled<StRegShftDb, 32, 16>,             //
    Tiled<StRegShftDb, 32, 32>,             //
    Tiled<StRegFixedDb, 16, 16>,            //
    Tiled<StRegFixedDb, 32, 16>,            //
    Tiled<StRegFixedDb, 32, 32>,            //
    Tiled<StSemi, 16, 16>,                  //
    Tiled<StSemi, 32, 16>,                  //
    Tiled<StSemi, 32, 32>,                  //
    Tiled<SmemPartial, 32, 8>,              //
    Tiled<SmemPartial, 32, 16>,             //
    Tiled<SmemPartial, 64, 8>,              //
    Tiled<Coarsened, 32, 8, 32>,            //
    Tiled<Coarsened, 32, 8, 64>,            //
    Tiled<StWindow, 32, 32, 64>,            //
    Tiled<StWindow, 64, 16, 64>,            //
    Tiled<StWindow, 32, 32, 32>,            //
    Tiled<StWindow, 64, 16, 32>,            //
    Tiled<InPlaneVertical, 32, 8, 1, 4>,    //
    Tiled<InPlaneVertical, 64, 8, 1, 2>,    //
    Tiled<InPlaneHorizontal, 32, 8, 1, 4>,  //
    Tiled<InPlaneHorizontal, 64, 8, 1, 2>,  //
    Tiled<InPlaneFull, 32, 8, 1, 4>,        //
    Tiled<InPlaneFull, 64, 8, 1, 2>,        //
    Tiled<InPlaneFull, 64, 8, 1, 2, 2>,     //
    Tiled<InPlaneFull, 32, 8, 2, 2>,        //
    Tiled<InPlaneFull, 64, 8, 1, 4>>;

}  // namespace minimod
