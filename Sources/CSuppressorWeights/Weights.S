// Puts the weights into the program. Training/export.py rewrites the next line, so that a build notices new ones.
// sha256 04f130d247efe76eb082a78ccc97e5df9d8ab085a4dd69cfe89e9aff9f638dd2
.section .rodata
.balign 64
.global nearend_suppressor_weights
.hidden nearend_suppressor_weights
.type nearend_suppressor_weights, %object
nearend_suppressor_weights:
.incbin "suppressor.weights"
.global nearend_suppressor_weights_end
.hidden nearend_suppressor_weights_end
nearend_suppressor_weights_end:
.section .note.GNU-stack, "", %progbits
