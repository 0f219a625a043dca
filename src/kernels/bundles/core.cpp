// The kernels that every run needs: element-wise and row-wise families, statistics, optimizer.
#include "kernels/device/batch_statistics.hpp"
#include "kernels/device/columns.hpp"
#include "kernels/device/elementwise.hpp"
#include "kernels/device/groups.hpp"
#include "kernels/device/norm.hpp"
#include "kernels/device/normalize.hpp"
#include "kernels/device/optimizer.hpp"
#include "kernels/device/softmax.hpp"
