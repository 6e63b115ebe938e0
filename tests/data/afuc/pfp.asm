; The first program of an a5xx: skips CP_NOP, follows indirect buffers, and sends all else to the ME.
[005ff001]
[#jumptbl]
mov $02, 0x2
cwrite $02, [$00 + 0x012]
mov $05, 0x835
cwrite $05, [$00 + 0x013]
mov $03, $regdata
mov $04, $regdata
mov $05, #jumptbl << 2
add $03, $03, $05
addhi $04, $04, $00
mov $rem, 0x80
cwrite $03, [$00 + 0x0b8]
cwrite $04, [$00 + 0x0b9]
cwrite $rem, [$00 + 0x0ba]
cwrite $00, [$00 + 0x033]
(rep)cwrite $memdata, [$00 + 0x034]
waitin
mov $01, $data

PKT4:
CP_MEM_WRITE:
CP_REG_TO_MEM:
mov $data, $01
(rep)mov $data, $data
waitin
mov $01, $data

CP_NOP:
(rep)mov $00, $data
waitin
mov $01, $data

CP_INDIRECT_BUFFER:
shl $05, $18, 0x2
add $18, $18, 0x1
cwrite $data, [$05 + 0x0b0]
cwrite $data, [$05 + 0x0b1]
cwrite $data, [$05 + 0x0b2]
cwrite $18, [$00 + 0x031]
waitin
mov $01, $data

UNKN10:
sub $18, $18, 0x1
cwrite $18, [$00 + 0x031]
waitin
mov $01, $data

jumptbl:
.jumptbl
