// The device translation unit: every kernel of the program, compiled once at build time into the
// bundle that the executable carries. A new kernel file is added here and to the list in
// src/kernels/CMakeLists.txt.
#include "kernels/device/augment_blur.hpp"
#include "kernels/device/augment_colour.hpp"
#include "kernels/device/augment_crop.hpp"
#include "kernels/device/augment_draw.hpp"
#include "kernels/device/augment_finish.hpp"
#include "kernels/device/augment_strong.hpp"
#include "kernels/device/batch_statistics.hpp"
#include "kernels/device/columns.hpp"
#include "kernels/device/elementwise.hpp"
#include "kernels/device/groups.hpp"
#include "kernels/device/norm.hpp"
#include "kernels/device/normalize.hpp"
#include "kernels/device/optimizer.hpp"
#include "kernels/device/softmax.hpp"
#include "kernels/device/top_k.hpp"
