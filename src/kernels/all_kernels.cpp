// Every kernel of the program in one translation unit, for the checks that look at all of them. The
// executable carries one bundle for each file of bundles/; a new kernel file is added to one of
// them and to the list in src/kernels/CMakeLists.txt.
#include "kernels/bundles/augment.cpp"
#include "kernels/bundles/core.cpp"
#include "kernels/bundles/discovery.cpp"
#include "kernels/bundles/losses.cpp"
#include "kernels/bundles/winograd.cpp"
