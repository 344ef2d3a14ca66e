package drover.manifest.render.template;

/**
 * What one rendering may still spend, so that a template can neither run for ever nor fill the
 * memory: a loop in a loop, or a variable that doubles, ends as an error.
 */
final class RenderBudget {
    /** Steps and characters handled; a file of the largest size needs about a quarter of it. */
    private static final long WORK = 8_000_000;

    private final int longestOutput;
    private long work = WORK;

    RenderBudget(int longestOutput) {
        this.longestOutput = longestOutput;
    }

    void spend(Position at, long amount) {
        work -= amount;
        if (work < 0) {
            throw tooLarge(at, "This template computes too much: simplify its loops.");
        }
    }

    void checkOutputLength(Position at, int length) {
        if (length > longestOutput) {
            throw tooLarge(
                    at, "The rendered text is longer than " + longestOutput + " characters.");
        }
    }

    private static TemplateError tooLarge(Position at, String sentence) {
        return new TemplateError(TemplateError.Kind.TOO_LARGE, at, sentence);
    }
}
