// The SYCL side of a Device, for the few files that submit work: `launch.hpp` and the users of
// oneDNN and oneMKL.
#pragma once

#include "kernels/device.hpp"

#include <sycl/sycl.hpp>

#include <functional>

namespace opencd::kernels {

/// The queue; use it only inside `submit` or to make library objects that share it.
sycl::queue& queue_of(Device& device);

/// Runs `work` with the queue, on behalf of `submitter`. `name` is what an error message will call
/// the work. Waits first where the device wants it: on CPU devices a queue that mixes host tasks
/// and kernels slows down with its length, so the queue is drained at every switch between our
/// kernels and a library.
void submit(Device& device,
            Submitter submitter,
            const char* name,
            const std::function<sycl::event(sycl::queue&)>& work);

/// The kernel `name` of the embedded bundle.
const sycl::kernel& embedded_kernel(Device& device, const char* name);

}  // namespace opencd::kernels
