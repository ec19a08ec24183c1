/* minimod as a library: acoustic waves in three dimensions, on the cores of the host or on a GPU.
 *
 *     (1/V^2) u_tt - laplace(u) = s(t) delta(x - x_s)          (SI units: m, s, m/s)
 *
 * In a homogeneous medium u is s(t - r/V) / (4 pi r) at the distance r of a source. A simulation is made for a grid,
 * gets a medium, sources and receivers, and is stepped. All functions but those of no simulation return a status;
 * after one that is not MINIMOD_OK, minimod_last_error has a sentence, and the simulation is as it was before the call
 * unless the function says otherwise.
 *
 * Arrays are [z][y][x], x fastest. Positions are in m from the node (0, 0, 0) of the grid, whose outermost points are
 * those of the absorbing layer; z points down. Triples are in the order x, y, z.
 *
 * Calls for one simulation follow each other. On the CPU they come from the thread that made it.
 */
#ifndef MINIMOD_MINIMOD_H
#define MINIMOD_MINIMOD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The exit codes of the program (sysexits.h where it has one). */
typedef enum minimod_status {
  MINIMOD_OK = 0,
  MINIMOD_USAGE = 64,         /* arguments that are wrong or contradict each other, an unknown name */
  MINIMOD_DATA = 65,          /* values or physics that are wrong: a step over the stability limit */
  MINIMOD_MISSING_INPUT = 66, /* a file is not there */
  MINIMOD_UNAVAILABLE = 69,   /* device, driver or tool */
  MINIMOD_INTERNAL = 70,      /* a bug of minimod's */
  MINIMOD_RESOURCE = 71,      /* too little memory */
  MINIMOD_CANNOT_CREATE = 73, /* a file cannot be made */
  MINIMOD_IO = 74,            /* reading or writing failed */
  MINIMOD_STOPPED = 75,       /* by a signal */
  MINIMOD_PERMISSION = 77
} minimod_status;

typedef enum minimod_precision { MINIMOD_SINGLE = 0, MINIMOD_DOUBLE = 1 } minimod_precision;

/* Weights of the difference in space: those that keep the speed of short waves, or those of the highest order. */
typedef enum minimod_weights { MINIMOD_MINIMAX = 0, MINIMOD_TAYLOR = 1 } minimod_weights;

typedef enum minimod_boundary {
  MINIMOD_CPML = 0,  /* convolutional perfectly matched layer */
  MINIMOD_PML = 1,   /* the Minimod papers' */
  MINIMOD_SPONGE = 2 /* Cerjan's taper */
} minimod_boundary;

/* The problem of a simulation; start from minimod_default_problem. */
typedef struct minimod_problem {
  int points[3];     /* points of the grid, the absorbing layer included */
  double spacing[3]; /* m */
  minimod_precision precision;
  int order; /* order of the difference in space: 2, 4, ... 16 */
  minimod_weights weights;
  minimod_boundary boundary;
  int width;          /* points of the layer on each face; 0: none, waves return from the faces */
  int free_surface;   /* not 0: u = 0 on the plane z = 0, which then has no layer */
  double frequency;   /* Hz, where the signatures are strongest: a CPML is tuned to it */
  const char* device; /* "auto" (a GPU where there is one), "cpu", "cuda" or "cuda:N" */
  const char* kernel; /* "auto", or a name that `minimod kernels` lists */
} minimod_problem;

/* u in the memory of the device. */
typedef struct minimod_field {
  void* data; /* u at node (0, 0, 0): float, or double in double precision */
  minimod_precision precision;
  int points[3];
  int64_t stride_y, stride_z; /* values from a node to its neighbour; along x it is 1 */
  int halo;                   /* nodes beyond each face that are there and 0, or the image above a free surface */
  int on_gpu;                 /* not 0: memory of a GPU */
} minimod_field;

typedef struct minimod_simulation minimod_simulation;

/* "MAJOR.MINOR.PATCH", as in minimod/version.h of the time when the library was built. */
const char* minimod_version(void);

/* Single precision, order 8, minimax, a CPML of 10 points for 10 Hz, "auto" and "auto"; points and spacing are 0. */
minimod_problem minimod_default_problem(void);

/* Why the last call for that simulation failed, in one line; with NULL, the last minimod_create of this thread. Empty
 * where it did not. The text stays until the next call. */
const char* minimod_last_error(const minimod_simulation* simulation);

/* Makes a simulation, without a medium. With the kernel "auto" a GPU is tried for some seconds, once for a grid.
 * Errors: USAGE; DATA a layer that is too wide or too thin; UNAVAILABLE no such GPU. */
minimod_status minimod_create(const minimod_problem* problem, minimod_simulation** simulation);

/* The names of the kernel that computes the inner points and of the device, as long as the simulation lives. On the CPU a
 * kernel that is made for GPUs is replaced by the portable one. Either may be NULL. */
minimod_status minimod_get_choice(const minimod_simulation* simulation, const char** kernel, const char** device);

/* NULL is no simulation and no error. */
void minimod_free(minimod_simulation* simulation);

/* Takes V (m/s) of all points, [z][y][x], and the time step dt (s; 0: 0.8 of the greatest that is stable). The fields
 * are at rest at t = 0 then, without sources and receivers. Errors: DATA velocities that are none, a dt over the limit;
 * RESOURCE. After an error there is no medium. */
minimod_status minimod_set_medium(minimod_simulation* simulation, const float* velocity, double dt);

/* The time step that was taken, s. */
minimod_status minimod_get_time_step(const minimod_simulation* simulation, double* dt);

/* Takes the place of the sources before: `positions` [count][3], m, and `signatures` [count][samples], the s(n dt) that
 * lead from step n to step n + 1, n = 0, 1, ... from t = 0 on; 0 behind them. A position off the nodes is fed by those
 * around it (a windowed sinc). All are copied. */
minimod_status minimod_set_sources(minimod_simulation* simulation, size_t count, const double* positions,
                                   size_t samples, const double* signatures);

/* Takes the place of the receivers before and of their samples: `positions` [count][3], m. From now on they keep u at
 * every step, that of the present first. The sample of a step is taken when the next one begins or it is fetched. */
minimod_status minimod_set_receivers(minimod_simulation* simulation, size_t count, const double* positions);

/* So many steps. */
minimod_status minimod_step(minimod_simulation* simulation, int steps);

/* Steps done, and their time, s. Either may be NULL. */
minimod_status minimod_get_time(const minimod_simulation* simulation, int* steps, double* time);

/* The samples of each receiver since they were set or fetched last, the present one included. With traces NULL only
 * their number is told; else they go to traces [receiver][sample], float or double as the precision is, and are
 * forgotten. `room`: values that traces holds; USAGE where they are too few. */
minimod_status minimod_fetch_traces(minimod_simulation* simulation, void* traces, size_t room, size_t* samples);

/* Where u is, when the device has computed it. It may be read and changed there, by the caller's own work which is done
 * before the next call, and is elsewhere after the next step. */
minimod_status minimod_get_field(minimod_simulation* simulation, minimod_field* field);

/* u at all points into values [z][y][x], float or double as the precision is. */
minimod_status minimod_copy_field(minimod_simulation* simulation, void* values);

/* Adds a value to u at a node: a source of the caller's own. One that is like those of minimod_set_sources adds
 * (V dt)^2 s(n dt) / (hx hy hz) when step n + 1 is done. */
minimod_status minimod_add_to_node(minimod_simulation* simulation, const int node[3], double value);

#ifdef __cplusplus
}
#endif

#endif
