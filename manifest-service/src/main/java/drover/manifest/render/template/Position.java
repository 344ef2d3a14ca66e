package drover.manifest.render.template;

/** A place in a template; line and column count from 1. */
record Position(int line, int column) {}
