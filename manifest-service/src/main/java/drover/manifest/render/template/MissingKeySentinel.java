package drover.manifest.render.template;

/** What {@code index} finds under a key that is not there; empty, and never written out. */
enum MissingKeySentinel {
    MISSING
}
