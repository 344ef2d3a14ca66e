package drover.manifest.render.template;

/**
 * Why a template cannot be read or rendered, and where. Caught by whoever asked for the template;
 * it never leaves the pure room.
 */
public final class TemplateError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What kind of error it is. */
    public enum Kind {
        /** The template is not written in the subset. */
        SYNTAX,
        /** It uses a variable that nothing defines. */
        UNDEFINED_VARIABLE,
        /** A value does not fit where it is used. */
        EVALUATION,
        /** It produces or computes more than is allowed. */
        TOO_LARGE
    }

    private final Kind kind;
    private final int line;
    private final int column;

    TemplateError(Kind kind, Position at, String sentence) {
        super(sentence, null, false, false); // an answer about a text: no stack trace is wanted
        this.kind = kind;
        this.line = at.line();
        this.column = at.column();
    }

    static TemplateError syntax(Position at, String sentence) {
        return new TemplateError(Kind.SYNTAX, at, sentence);
    }

    static TemplateError evaluation(Position at, String sentence) {
        return new TemplateError(Kind.EVALUATION, at, sentence);
    }

    /** What kind of error it is. */
    public Kind kind() {
        return kind;
    }

    /** Line in the template, from 1. */
    public int line() {
        return line;
    }

    /** Column in the template, from 1. */
    public int column() {
        return column;
    }

    /** What is wrong, without the place. */
    public String sentence() {
        return String.valueOf(getMessage());
    }
}
