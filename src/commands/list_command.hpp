/// The commands that list what there is.
#pragma once

namespace minimod {

/// `minimod kernels`: every code shape and where it runs here; as JSON for scripts.
void list_kernels(bool as_json);

/// `minimod info`: the build and the devices of this machine.
void show_info(bool as_json);

}  // namespace minimod
