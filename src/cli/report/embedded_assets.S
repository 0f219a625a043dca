/* The style sheet and the script of reports as the bytes of their files. */
    .section .rodata
    .macro asset name, file
    .global opencd_report_\name\()_begin
    .global opencd_report_\name\()_end
opencd_report_\name\()_begin:
    .incbin "\file"
opencd_report_\name\()_end:
    .byte 0
    .endm

    asset style, OPENCD_REPORT_STYLE
    asset script, OPENCD_REPORT_SCRIPT
    .section .note.GNU-stack,"",@progbits
