/* plot.h - line charts with a logarithmic y axis, as SVG. */
#ifndef DEMO_PLOT_H
#define DEMO_PLOT_H

#include <math.h>
#include <stdio.h>

enum { PLOT_WIDTH = 1000, PLOT_HEIGHT = 460 };
enum { PANEL_TOP = 40, PANEL_WIDTH = 410, PANEL_HEIGHT = 310 };

/* Colours of Okabe and Ito, which colour-blind readers can tell apart. Where lines lie upon each
   other, the wide one below and the dashed one above still show. */
static const struct plot_style {
    const char *colour, *dash;
    double width;
} plot_styles[] = {
    { "#b8b8b8", "none", 6.0 },
    { "#0072b2", "none", 2.0 },
    { "#e69f00", "6 5", 2.0 },
    { "#d55e00", "none", 2.0 },
};

/* A plotting area: x from 0 to x_max, y from base^low to base^high. */
typedef struct panel {
    FILE *svg;
    double left, x_max, base, low, high;
} panel;

static double panel_x(const panel *p, double x) {
    return p->left + (double)PANEL_WIDTH * x / p->x_max;
}

static double panel_y(const panel *p, double y) {
    double exponent = log(y) / log(p->base);
    return (double)PANEL_TOP + (double)PANEL_HEIGHT * (p->high - exponent) / (p->high - p->low);
}

/* Widen the y axis to whole powers that hold these values. low = high: nothing held so far. */
static void panel_fit(panel *p, const double *y, int count) {
    int i;
    for (i = 0; i < count; i++) {
        double exponent = log(y[i]) / log(p->base);
        int first = p->low == p->high;
        if (!isfinite(exponent)) continue;
        if (first || exponent <= p->low) p->low = ceil(exponent - 1e-9) - 1;
        if (first || exponent >= p->high) p->high = floor(exponent + 1e-9) + 1;
    }
}

static void panel_text(const panel *p, double x, double y, const char *attributes,
                       const char *text) {
    fprintf(p->svg, "<text x=\"%.1f\" y=\"%.1f\" %s>%s</text>\n", x, y, attributes, text);
}

static void panel_grid_line(const panel *p, double x, double y, const char *direction,
                            double length) {
    fprintf(p->svg, "<path d=\"M%.1f %.1f%s%.1f\" stroke=\"#e0e0e0\"/>\n", x, y, direction, length);
}

/* About eight powers of the base. */
static void panel_y_ticks(const panel *p) {
    double step = ceil((p->high - p->low) / 8), exponent;
    char label[80];
    for (exponent = ceil(p->low / step) * step; exponent <= p->high; exponent += step) {
        double y = panel_y(p, pow(p->base, exponent));
        snprintf(label, sizeof label, "%g<tspan dy=\"-5\" font-size=\"10\">%g</tspan>", p->base,
                 exponent);
        panel_grid_line(p, p->left, y, "h", PANEL_WIDTH);
        panel_text(p, p->left - 6, y + 5, "text-anchor=\"end\"", label);
    }
}

/* Four to ten round numbers. */
static void panel_x_ticks(const panel *p) {
    double step = pow(10, floor(log10(p->x_max))), bottom = PANEL_TOP + PANEL_HEIGHT, x;
    char label[32];
    if (p->x_max < 4 * step) step /= 2;
    for (x = 0; x <= p->x_max; x += step) {
        snprintf(label, sizeof label, "%g", x);
        panel_grid_line(p, panel_x(p, x), PANEL_TOP, "v", PANEL_HEIGHT);
        panel_text(p, panel_x(p, x), bottom + 18, "text-anchor=\"middle\"", label);
    }
}

static void panel_frame(const panel *p, const char *title, const char *x_title) {
    double middle = p->left + (double)PANEL_WIDTH / 2.0;
    panel_y_ticks(p);
    panel_x_ticks(p);
    panel_text(p, p->left, PANEL_TOP - 14, "font-weight=\"bold\"", title);
    panel_text(p, middle, PANEL_TOP + PANEL_HEIGHT + 38, "text-anchor=\"middle\"", x_title);
    fprintf(p->svg, "<path d=\"M%.1f %dv%dh%d\" fill=\"none\" stroke=\"#444444\"/>\n", p->left,
            PANEL_TOP, PANEL_HEIGHT, PANEL_WIDTH);
}

static void panel_points(const panel *p, const double *y, int from, int to) {
    int step = from < to ? 1 : -1, i;
    for (i = from; i != to; i += step) {
        double height = panel_y(p, y[i]);
        if (isfinite(height)) fprintf(p->svg, "%.1f %.1f ", panel_x(p, i), height);
    }
}

static void svg_stroke(FILE *svg, int style) {
    const struct plot_style *s = &plot_styles[style];
    fprintf(svg, "fill=\"none\" stroke=\"%s\" stroke-width=\"%g\" stroke-dasharray=\"%s\"/>\n",
            s->colour, s->width, s->dash);
}

/* The line through (0, y[0]), (1, y[1]), ... */
static inline void panel_line(const panel *p, const double *y, int count, int style) {
    fprintf(p->svg, "<polyline points=\"");
    panel_points(p, y, 0, count);
    fprintf(p->svg, "\" stroke-linejoin=\"round\" ");
    svg_stroke(p->svg, style);
}

/* The area between two such lines. */
static inline void panel_band(const panel *p, const double *low, const double *high, int count,
                       int style) {
    fprintf(p->svg, "<polygon points=\"");
    panel_points(p, low, 0, count);
    panel_points(p, high, count - 1, -1);
    fprintf(p->svg, "\" fill=\"%s\" fill-opacity=\"0.2\"/>\n", plot_styles[style].colour);
}

static inline void panel_cross(const panel *p, double x, double y) {
    fprintf(p->svg, "<path d=\"M%.1f %.1fm-4 -4l8 8m0 -8l-8 8\" stroke=\"#000000\"/>\n",
            panel_x(p, x), panel_y(p, y));
}

static void svg_begin(FILE *svg) {
    fprintf(svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\""
            " height=\"%d\"\n     font-family=\"sans-serif\" font-size=\"14\" fill=\"#222222\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
            PLOT_WIDTH, PLOT_HEIGHT, PLOT_WIDTH, PLOT_HEIGHT);
}

/* What the lines of a style are: at the bottom of the picture, two columns. */
static inline void svg_legend(FILE *svg, int style, const char *text) {
    int x = style % 2 == 0 ? 60 : 560, y = PLOT_HEIGHT - 44 + 24 * (style / 2);
    fprintf(svg, "<path d=\"M%d %dh30\" ", x, y - 5);
    svg_stroke(svg, style);
    fprintf(svg, "<text x=\"%d\" y=\"%d\">%s</text>\n", x + 38, y, text);
}

static void svg_end(FILE *svg) {
    fprintf(svg, "</svg>\n");
    fclose(svg);
}

#endif
