package drover.manifest.document;

/**
 * One problem of a file.
 *
 * @param file relative to the configuration directory; empty for text that is in no file
 * @param message one sentence that says what is wrong and what to write instead
 */
public record ValidationProblem(
        String file, FieldLocation location, ProblemCode code, String message) {
    /** Whether the file can be used in spite of it. */
    public boolean isWarning() {
        return switch (code) {
            case OVERRIDE_UNUSED, SIGNATURE_DIFFERS, CHAIN_PROFILE_STALE -> true;
            default -> false;
        };
    }

    /** File, line and sentence, for a message to a person. */
    public String format() {
        String where = file.isEmpty() ? "" : file;
        if (location.line() > 0) {
            where += (where.isEmpty() ? "line " : ":") + location.line() + ":" + location.column();
        }
        String path = location.path().isEmpty() ? "" : location.path() + ": ";
        return (where.isEmpty() ? "" : where + ": ") + path + message;
    }
}
