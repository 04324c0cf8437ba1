// Prints three numbers in bfloat16, each in a line: 3F80 3DCD 4789
#define MPX_IMPLEMENTATION
#include <mpx.h>

void setup() {
    const float master[3] = { 1.0f, 0.1f, 70000.0f };
    uint16_t working[3];
    Serial.begin(115200);
    if (mpx_cast(working, MPX_BF16, master, MPX_F32, 3) != MPX_OK) return;
    for (uint16_t bits : working) Serial.println(bits, HEX);
}

void loop() {}
