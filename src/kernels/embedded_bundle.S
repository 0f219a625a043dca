/* The kernels of the program as the bytes of a SYCLBIN; OPENCD_KERNEL_BUNDLE names the file. */
    .section .rodata
    .global opencd_kernels_begin
    .global opencd_kernels_end
    .balign 16
opencd_kernels_begin:
    .incbin OPENCD_KERNEL_BUNDLE
opencd_kernels_end:
    .byte 0
    .section .note.GNU-stack,"",@progbits
