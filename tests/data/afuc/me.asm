; The second program of an a5xx: writes registers and memory, and reads registers.
[005ff002]
[#jumptbl]
mov $addr, 0xe1 << 24
mov $data, 0x2
mov $05, 0x10 << 16
or $addr, $05, 0x838
mov $03, $regdata
mov $04, $regdata
mov $05, #jumptbl << 2
add $03, $03, $05
addhi $04, $04, $00
mov $rem, 0x80
mov $addr, 0x80d
mov $data, $03
mov $data, $04
mov $data, $rem
cwrite $00, [$00 + 0x033]
(rep)cwrite $memdata, [$00 + 0x034]
waitin
mov $01, $data

PKT4:
ushr $usraddr, $01, 0x8
(rep)(xmov1)mov $data, $data
waitin
mov $01, $data

CP_MEM_WRITE:
mov $addr, 0x810
mov $data, $data
mov $data, $data
mov $02, 0x4 << 16
or $addr, $02, 0x812
(rep)mov $data, $data
waitin
mov $01, $data

CP_REG_TO_MEM:
mov $02, 0x10 << 16
or $usraddr, $02, $data
mov $addr, 0x810
mov $data, $data
mov $data, $data
mov $data, $regdata
waitin
mov $01, $data

jumptbl:
.jumptbl
