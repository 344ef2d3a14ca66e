package drover.opsagent.probe;

import drover.model.program.ClusterProbe;
import drover.model.program.ProgramSpec;
import drover.opsagent.cluster.ClusterDriver.ProbeResult;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the cluster probes of a node's programs, each in its own thread: a driver may take 5 s, and
 * must not delay the probes of health. A program has at most one call in flight, and only its
 * present run has a report.
 */
final class ClusterProber {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterProber.class);

    /** A report that is older does not count. */
    private static final int MAX_AGE_INTERVALS = 3;

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

    private final Ticker ticker;
    private final ProbeRunner runner;
    private final Map<String, Member> members = new HashMap<>();
    private boolean closed;

    ClusterProber(Ticker ticker, ProbeRunner runner) {
        this.ticker = ticker;
        this.runner = runner;
    }

    /** Probe of one run of a program. */
    private static final class Member {
        final String runId;
        final ClusterProbe settings;
        final Supplier<ProbeResult> probe;
        long dueNanos;
        @Nullable Thread call; // the latest, also of the run before; null before the first one
        @Nullable ProbeResult latest; // null before the first one of this run ended
        long latestNanos;
        boolean ended;

        Member(
                String runId,
                ClusterProbe settings,
                Supplier<ProbeResult> probe,
                long dueNanos,
                @Nullable Thread call) {
            this.runId = runId;
            this.settings = settings;
            this.probe = probe;
            this.dueNanos = dueNanos;
            this.call = call;
        }

        boolean isOf(String run, ClusterProbe wanted) {
            return !ended && runId.equals(run) && settings.equals(wanted);
        }

        boolean hasCallInFlight() {
            return call != null && call.isAlive();
        }

        void end() {
            if (!ended && call != null) {
                call.interrupt();
            }
            ended = true;
        }
    }

    /** Starts the probe of a running program if it is due and the previous one has ended. */
    synchronized void startIfDue(ProgramSpec spec, ProgramState.Up up) {
        if (spec.cluster().isEmpty() || closed) {
            return;
        }
        Member member = getOrReplace(spec.name().value(), up.runId(), spec.cluster().get());
        long now = ticker.nanos();
        if (!member.hasCallInFlight() && now - member.dueNanos >= 0) {
            member.dueNanos = now + member.settings.interval().toNanos();
            member.call = Thread.ofVirtual().name("cluster-probe").start(() -> call(member));
        }
    }

    private Member getOrReplace(String name, String runId, ClusterProbe settings) {
        Member present = members.get(name);
        if (present != null && present.isOf(runId, settings)) {
            return present;
        }
        if (present != null) {
            present.end();
        }
        Supplier<ProbeResult> probe = runner.newClusterProbe(settings);
        @Nullable Thread ending = present == null ? null : present.call;
        Member created = new Member(runId, settings, probe, ticker.nanos(), ending);
        members.put(name, created);
        return created;
    }

    private void call(Member member) {
        ProbeResult result;
        try {
            result = member.probe.get();
        } catch (RuntimeException e) {
            LOG.error("A cluster probe failed unexpectedly", e);
            result = new ProbeResult.Failed("The cluster probe failed: see the agent's log.");
        }
        synchronized (this) {
            member.latest = result;
            member.latestNanos = ticker.nanos();
        }
    }

    /** Ends the probe of a program that does not run. */
    synchronized void stop(String name) {
        Member member = members.get(name);
        if (member != null) {
            member.end();
            if (!member.hasCallInFlight()) { // the next run waits for the end of this call
                members.remove(name);
            }
        }
    }

    /** Ends the probes of programs that the node no longer has. */
    synchronized void retain(List<ProgramSpec> specs) {
        if (members.isEmpty()) {
            return;
        }
        for (String name : List.copyOf(members.keySet())) {
            boolean present =
                    specs.stream()
                            .anyMatch(
                                    spec ->
                                            spec.name().value().equals(name)
                                                    && spec.cluster().isPresent());
            if (!present) {
                stop(name);
            }
        }
    }

    /**
     * Reads the latest report of a program.
     *
     * @param runId its present run; empty if it does not run
     * @return empty if the program is no member of a cluster
     */
    synchronized Optional<ClusterReading> read(ProgramSpec spec, String runId) {
        if (spec.cluster().isEmpty()) {
            return Optional.empty();
        }
        if (runId.isEmpty()) {
            return Optional.of(ClusterReading.noReport("The program does not run."));
        }
        Member member = members.get(spec.name().value());
        if (member == null || member.latest == null || !member.isOf(runId, spec.cluster().get())) {
            return Optional.of(
                    ClusterReading.noReport(
                            "The first cluster probe of this run has not ended yet."));
        }
        return Optional.of(toReading(member, member.latest));
    }

    private ClusterReading toReading(Member member, ProbeResult latest) {
        return switch (latest) {
            case ProbeResult.Failed(String reason) -> ClusterReading.noReport(reason);
            case ProbeResult.Reported(var report) -> {
                Duration age = Duration.ofNanos(Math.max(0, ticker.nanos() - member.latestNanos));
                Duration limit = member.settings.interval().multipliedBy(MAX_AGE_INTERVALS);
                yield age.compareTo(limit) <= 0
                        ? ClusterReading.reported(report, age)
                        : ClusterReading.noReport(
                                "The latest report is older than 3 intervals of the cluster probe.");
            }
        };
    }

    /** Ends all probes, and waits until their drivers have ended. */
    void close() {
        List<Thread> calls = new ArrayList<>();
        synchronized (this) {
            closed = true;
            for (Member member : members.values()) {
                member.end();
                if (member.call != null) {
                    calls.add(member.call);
                }
            }
        }
        try {
            for (Thread call : calls) {
                call.join(CLOSE_TIMEOUT);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
