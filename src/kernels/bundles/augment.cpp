// The kernels of augmentation: large, and needed only where pictures are read.
#include "kernels/device/augment_blur.hpp"
#include "kernels/device/augment_colour.hpp"
#include "kernels/device/augment_crop.hpp"
#include "kernels/device/augment_draw.hpp"
#include "kernels/device/augment_finish.hpp"
#include "kernels/device/augment_strong.hpp"
