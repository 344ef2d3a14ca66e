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
    public enum DeliveryDecision {
        /** The receiver has it. */
        ACCEPTED,
        /** The receiver is unavailable or overloaded: send the event again later. */
        RETRY,
        /** The receiver does not accept this event. */
        REJECTED
    }

    /** Classifies the status of a webhook. */
    public static DeliveryDecision classifyHttpStatus(int status) {
        if (status >= 200 && status < 300) {
            return DeliveryDecision.ACCEPTED;
        }
        boolean rejected = status >= 400 && status < 500 && !TEMPORARY.contains(status);
        return rejected ? DeliveryDecision.REJECTED : DeliveryDecision.RETRY;
    }

    /** Classifies an error code of JetStream. */
    public static DeliveryDecision classifyJetStreamError(int apiErrorCode) {
        return apiErrorCode == MESSAGE_EXCEEDS_MAXIMUM
                ? DeliveryDecision.REJECTED
                : DeliveryDecision.RETRY;
    }

    /**
     * Classifies an event by its size.
     *
     * @param bytes headers and body
     * @param maximum that the NATS server announced; 0 or less when unknown
     */
    public static DeliveryDecision classifySize(long bytes, long maximum) {
        return maximum > 0 && bytes > maximum
                ? DeliveryDecision.REJECTED
                : DeliveryDecision.ACCEPTED;
    }

    /**
     * Classifies the last error that a NATS server sent on the connection of an event.
     *
     * @param error empty for none
     */
    public static DeliveryDecision classifyNatsError(String error) {
        if (error.isEmpty()) {
            return DeliveryDecision.ACCEPTED;
        }
        boolean denied = error.toLowerCase(java.util.Locale.ROOT).contains(NOT_PERMITTED);
        return denied ? DeliveryDecision.REJECTED : DeliveryDecision.RETRY;
    }
}
