/* data.h - 1,797 handwritten digits from demo/digits.csv: 64 pixels 0..16 and the digit, one image
   a line. Every other line is for the test: 899 images to train on, 898 to test on. */
#ifndef DEMO_DATA_H
#define DEMO_DATA_H

#include <math.h>
#include <stdio.h>

enum { PIXELS = 64, CLASSES = 10, IMAGES = 1797 };

typedef struct dataset {
    size_t count;
    float pixels[IMAGES * PIXELS];
    int labels[IMAGES];
} dataset;

/* Add the next line of the file to the set. Returns 0 if it is not 64 numbers and a digit. */
static int read_image(FILE *file, dataset *set) {
    float *pixels = set->pixels + set->count * PIXELS;
    int i, value;
    for (i = 0; i < PIXELS; i++) {
        if (fscanf(file, "%d,", &value) != 1) return 0;
        pixels[i] = (float)value;
    }
    if (fscanf(file, "%d", &value) != 1 || value < 0 || value >= CLASSES) return 0;
    set->labels[set->count++] = value;
    return 1;
}

/* Read all images into the two sets. Returns 0 if the file is missing or is not this data. */
static int read_digits(const char *path, dataset *train, dataset *test) {
    FILE *file = fopen(path, "r");
    int i = 0;
    if (file == NULL) return 0;
    train->count = test->count = 0;
    while (i < IMAGES && read_image(file, i % 2 == 0 ? train : test)) i++;
    fclose(file);
    return i == IMAGES;
}

static void shift_and_scale(dataset *set, double mean, double deviation) {
    size_t i;
    for (i = 0; i < set->count * PIXELS; i++) {
        set->pixels[i] = (float)(((double)set->pixels[i] - mean) / deviation);
    }
}

/* Bring the training pixels to mean 0 and deviation 1, and the test pixels with them. */
static void standardise(dataset *train, dataset *test) {
    size_t i, count = train->count * PIXELS;
    double sum = 0, squares = 0, mean, deviation;
    for (i = 0; i < count; i++) {
        double pixel = (double)train->pixels[i];
        sum += pixel;
        squares += pixel * pixel;
    }
    mean = sum / (double)count;
    deviation = sqrt(squares / (double)count - mean * mean);
    shift_and_scale(train, mean, deviation);
    shift_and_scale(test, mean, deviation);
}

#endif
