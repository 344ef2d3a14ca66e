package drover.manifest.check;

/**
 * One problem of a file.
 *
 * @param file relative to the configuration directory; empty for text that is in no file
 * @param message one sentence that says what is wrong and what to write instead
 */
public record Problem(String file, Place place, ProblemCode code, String message) {
    /** Whether the file can be used in spite of it. */
    public boolean isWarning() {
        return code == ProblemCode.OVERRIDE_UNUSED || code == ProblemCode.SIGNATURE_DIFFERS;
    }

    /** File, line and sentence, for a message to a person. */
    public String shown() {
        String where = file.isEmpty() ? "" : file;
        if (place.line() > 0) {
            where += (where.isEmpty() ? "line " : ":") + place.line() + ":" + place.column();
        }
        String path = place.path().isEmpty() ? "" : place.path() + ": ";
        return (where.isEmpty() ? "" : where + ": ") + path + message;
    }
}
