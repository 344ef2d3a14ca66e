package drover.opsagent.identity;

/** Response to a renewal that an honest gateway does not send; the present record stays. */
final class SuspiciousRenewal extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    SuspiciousRenewal(String sentence) {
        super(sentence);
    }
}
