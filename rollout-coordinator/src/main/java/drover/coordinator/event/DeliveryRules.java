package drover.coordinator.event;

import java.util.Set;

/**
 * Classifies what a receiver answered to an event. A rejected event becomes a dead letter, because
 * the same event would be rejected again. All other failures concern the receiver: the event is
 * sent again until it is accepted, so that the order stays. Pure.
 */
public final class DeliveryRules {
    private static final int REQUEST_TIMEOUT = 408;
    private static final int TOO_EARLY = 425;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final Set<Integer> TEMPORARY =
            Set.of(REQUEST_TIMEOUT, TOO_EARLY, TOO_MANY_REQUESTS);

    /** JetStream: the message is larger than the stream accepts. */
    private static final int MESSAGE_EXCEEDS_MAXIMUM = 10054;

    /** Start of the error that a NATS server sends when a subject is not allowed. */
    private static final String NOT_PERMITTED = "permissions violation for publish";

    private DeliveryRules() {}

    /** What becomes of an event. */
    public enum Verdict {
        /** The receiver has it. */
        ACCEPTED,
        /** The receiver is unavailable or overloaded: send the event again later. */
        RETRY,
        /** The receiver does not accept this event. */
        REJECTED
    }

    /** Classifies the status of a webhook. */
    public static Verdict ofHttp(int status) {
        if (status >= 200 && status < 300) {
            return Verdict.ACCEPTED;
        }
        boolean rejected = status >= 400 && status < 500 && !TEMPORARY.contains(status);
        return rejected ? Verdict.REJECTED : Verdict.RETRY;
    }

    /** Classifies an error code of JetStream. */
    public static Verdict ofJetStream(int apiErrorCode) {
        return apiErrorCode == MESSAGE_EXCEEDS_MAXIMUM ? Verdict.REJECTED : Verdict.RETRY;
    }

    /**
     * Classifies an event by its size.
     *
     * @param bytes headers and body
     * @param maximum that the NATS server announced; 0 or less when unknown
     */
    public static Verdict ofSize(long bytes, long maximum) {
        return maximum > 0 && bytes > maximum ? Verdict.REJECTED : Verdict.ACCEPTED;
    }

    /**
     * Classifies the last error that a NATS server sent on the connection of an event.
     *
     * @param error empty for none
     */
    public static Verdict ofNatsError(String error) {
        if (error.isEmpty()) {
            return Verdict.ACCEPTED;
        }
        boolean denied = error.toLowerCase(java.util.Locale.ROOT).contains(NOT_PERMITTED);
        return denied ? Verdict.REJECTED : Verdict.RETRY;
    }
}
