package drover.opsagent.identity;

/** Response to a renewal that an honest gateway does not send; the present record stays. */
final class SuspiciousRenewalResponse extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    SuspiciousRenewalResponse(String sentence) {
        super(sentence);
    }
}
