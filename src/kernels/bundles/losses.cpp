// The kernels of training objectives: needed only by runs that train.
#include "kernels/device/contrastive.hpp"
#include "kernels/device/positive_pairs.hpp"
#include "kernels/device/prototype_gradients.hpp"
#include "kernels/device/prototype_losses.hpp"
