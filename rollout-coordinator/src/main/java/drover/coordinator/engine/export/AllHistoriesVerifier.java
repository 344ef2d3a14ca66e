package drover.coordinator.engine.export;

import drover.coordinator.store.audit.HistoryChecker;
import drover.coordinator.store.audit.HistoryChecker.CheckedHistory;
import drover.coordinator.store.audit.HistoryChecker.HistoryKind;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongSupplier;

/**
 * Goes through all histories, a few seconds at a time: rollouts and groups by id, then the keys.
 */
public final class AllHistoriesVerifier {
    private static final Duration ONE_CALL = Duration.ofSeconds(3); // callers wait 10 s
    private static final int MOST_HISTORIES = 10_000; // the answer stays small
    private static final String FIRST = "ROLLOUT:";

    private final HistoryChecker views;
    private final LongSupplier nanos;

    /**
     * Over these views.
     *
     * @param nanos a monotonic clock
     */
    public AllHistoriesVerifier(HistoryChecker views, LongSupplier nanos) {
        this.views = views;
        this.nanos = nanos;
    }

    /**
     * A part of the way.
     *
     * @param next where the next part begins; empty at the end
     */
    public record Page(List<CheckedHistory> checked, String next) {
        public Page {
            checked = List.copyOf(checked);
        }
    }

    /**
     * Checks on from a place.
     *
     * @param from what the part before gave; empty at the beginning
     * @throws Refused when it is no such place
     */
    public Page verifyFrom(String from) {
        long end = nanos.getAsLong() + ONE_CALL.toNanos();
        List<CheckedHistory> checked = new ArrayList<>();
        String place = from.isEmpty() ? FIRST : from;
        while (!place.isEmpty()
                && checked.size() < MOST_HISTORIES
                && (checked.isEmpty() || nanos.getAsLong() < end)) {
            place = checkNext(place, checked);
        }
        return new Page(checked, place);
    }

    private String checkNext(String place, List<CheckedHistory> checked) {
        HistoryKind of = parseHistoryKind(place);
        String after = place.substring(place.indexOf(':') + 1);
        Optional<CheckedHistory> next = views.checkNext(of, after);
        next.ifPresent(checked::add);
        return next.filter(history -> !history.id().isEmpty()) // else the one of its kind
                .map(history -> of + ":" + history.id())
                .orElseGet(
                        () ->
                                switch (of) {
                                    case ROLLOUT -> HistoryKind.GROUP + ":";
                                    case GROUP -> HistoryKind.KEYS + ":";
                                    case KEYS -> "";
                                });
    }

    private static HistoryKind parseHistoryKind(String place) {
        int colon = place.indexOf(':');
        try {
            if (colon > 0 && colon + 1 < place.length()) {
                String id = place.substring(colon + 1);
                if (!UUID.fromString(id).toString().equals(id)) { // it takes 1-1-1-1-1 as well
                    throw new IllegalArgumentException(id);
                }
            }
            return HistoryKind.valueOf(place.substring(0, Math.max(colon, 0)));
        } catch (IllegalArgumentException e) {
            throw new Refused(
                    RefusalCode.INVALID_FIELD,
                    "The page token is none that was given; begin without one.",
                    "page_token");
        }
    }
}
