/* The kernels of the program as the bytes of SYCLBIN files, one for each file of bundles/. */
    .section .rodata
    .macro bundle name, file
    .global opencd_\name\()_kernels_begin
    .global opencd_\name\()_kernels_end
    .balign 16
opencd_\name\()_kernels_begin:
    .incbin "\file"
opencd_\name\()_kernels_end:
    .byte 0
    .endm

    bundle core, OPENCD_CORE_BUNDLE
    bundle discovery, OPENCD_DISCOVERY_BUNDLE
    bundle winograd, OPENCD_WINOGRAD_BUNDLE
    bundle augment, OPENCD_AUGMENT_BUNDLE
    bundle losses, OPENCD_LOSSES_BUNDLE
    .section .note.GNU-stack,"",@progbits
