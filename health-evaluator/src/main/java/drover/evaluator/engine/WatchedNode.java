package drover.evaluator.engine;

import drover.evaluator.assess.Heartbeat;
import drover.evaluator.assess.History;
import drover.evaluator.assess.Judgement;
import drover.evaluator.assess.Latest;
import drover.evaluator.assess.Unjudged;
import drover.evaluator.assess.Watch;
import drover.evaluator.assess.Watching;
import drover.evaluator.assess.WholeHistory;
import drover.evaluator.assess.WholeNode;
import drover.kit.grpc.Address;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * One watched node: what each gateway said of it last, and what was said to the coordinator. Used
 * under its room's lock.
 */
final class WatchedNode {
    private final Map<Address, Said> byGateway = new HashMap<>(); // one entry per gateway
    private Watching watch;
    private long sinceNanos;
    private History history = History.EMPTY;
    private WholeHistory wholeHistory = WholeHistory.EMPTY;
    private Optional<Judgement> told = Optional.empty();

    private Optional<String> invalid = Optional.empty(); // why the latest heartbeat is not used

    /** What a gateway said; no heartbeat means that the node is not connected there. */
    private record Said(Optional<Heartbeat> heartbeat, long nanos) {}

    WatchedNode(Watching watch, long nowNanos) {
        this.watch = watch;
        this.sinceNanos = nowNanos;
    }

    /** Replaces the watch; what was learned stays while it is the same attempt's. */
    void replace(Watching later, long nowNanos) {
        if (!watch.continues(later)) {
            history = History.EMPTY;
            wholeHistory = WholeHistory.EMPTY;
            sinceNanos = nowNanos;
        }
        watch = later;
        told = Optional.empty(); // the present verdict is said at once
    }

    /** Its latest heartbeat cannot be used; returns whether that is new. */
    boolean invalid(Address gateway, String why) {
        byGateway.remove(gateway); // what it said before does not count any more
        boolean fresh = invalid.filter(why::equals).isEmpty();
        invalid = Optional.of(why);
        return fresh;
    }

    /** It could not be judged; returns the judgement if the coordinator does not know it. */
    Optional<Judgement> failed(String why) {
        return unlessTold(Judgement.failed(watch, why));
    }

    void heard(Address gateway, Heartbeat heartbeat, long receivedNanos) {
        invalid = Optional.empty();
        byGateway.put(gateway, new Said(Optional.of(heartbeat), receivedNanos));
        if (newest().filter(heartbeat::equals).isPresent()) {
            remember(heartbeat, receivedNanos);
        }
    }

    private void remember(Heartbeat heartbeat, long receivedNanos) {
        switch (watch) {
            case Watch one -> history = history.after(one, heartbeat);
            case WholeNode whole -> {
                if (receivedNanos >= sinceNanos) { // what came before it was asked says nothing
                    wholeHistory = wholeHistory.after(heartbeat);
                }
            }
            case Unjudged _ -> {} // whatever it says, nothing is asked
        }
    }

    void gone(Address gateway, long nanos) {
        invalid = Optional.empty();
        byGateway.put(gateway, new Said(Optional.empty(), nanos));
    }

    void forget(Address gateway) {
        invalid = Optional.empty(); // a gateway that has it says so again
        byGateway.remove(gateway);
    }

    private Optional<Heartbeat> newest() {
        return newestSaid().flatMap(Said::heartbeat);
    }

    private Optional<Said> newestSaid() {
        return byGateway.values().stream()
                .filter(said -> said.heartbeat().isPresent())
                .max(Comparator.comparingLong(Said::nanos));
    }

    /** The present judgement, if it says anything that the coordinator was not told. */
    Optional<Judgement> news(long nowNanos, int gateways) {
        Latest latest = latest(nowNanos, gateways);
        Judgement judgement =
                switch (watch) {
                    case Watch one -> Judgement.of(one, history, latest);
                    case WholeNode whole ->
                            Judgement.of(
                                    whole,
                                    wholeHistory,
                                    latest,
                                    Duration.ofNanos(nowNanos - sinceNanos));
                    case Unjudged unjudged -> Judgement.of(unjudged);
                };
        return unlessTold(judgement);
    }

    private Optional<Judgement> unlessTold(Judgement judgement) {
        if (told.filter(judgement::addsNothingTo).isPresent()) {
            return Optional.empty();
        }
        told = Optional.of(judgement);
        return told;
    }

    private Latest latest(long nowNanos, int gateways) {
        if (invalid.isPresent()) {
            return new Latest.Invalid(invalid.get());
        }
        Optional<Said> newest = newestSaid();
        if (newest.isPresent()) {
            Heartbeat heartbeat = Objects.requireNonNull(newest.get().heartbeat().orElse(null));
            return new Latest.Heard(heartbeat, Duration.ofNanos(nowNanos - newest.get().nanos()));
        }
        boolean everyOneSaysSo = gateways > 0 && byGateway.size() >= gateways;
        return everyOneSaysSo ? new Latest.Gone() : new Latest.Nothing();
    }
}
