package drover.opsagent;

import drover.model.ApplicationHealth;
import drover.model.Digest;
import drover.model.SyncStatus;
import drover.opsagent.engine.Desk;
import drover.opsagent.engine.Finding;
import drover.opsagent.engine.NodeView;
import drover.opsagent.engine.StatusSlot;
import drover.opsagent.own.Itself;
import drover.opsagent.peers.ProgramView;
import drover.opsagent.peers.SelfReport;
import drover.opsagent.probe.Prober;
import drover.opsagent.probe.Signals;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.script.AttemptStatus;
import drover.opsagent.script.Work;
import drover.opsagent.store.KnownVersion;
import drover.opsagent.store.Profile;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Puts together what an agent says of itself. The session's thread alone makes reports. */
final class NodeSelf {
    private static final Duration HASH_AGAIN = Duration.ofMinutes(1); // program files are large
    private final OpsAgentConfig config;
    private final Desk desk;
    private final NodeRuntime runtime;
    private final NodeView view;
    private final Prober prober;
    private final StatusSlot slot;
    private final Ticker ticker;
    private final Itself itself;
    private final Map<String, Hashed> fileDigests = new HashMap<>();

    private volatile String suspectRenewal = "";

    private record Hashed(String runId, String digest, long atNanos) {}

    NodeSelf(
            OpsAgentConfig config,
            Desk desk,
            NodeRuntime runtime,
            Prober prober,
            StatusSlot slot,
            Ticker ticker,
            Itself itself) {
        this.config = config;
        this.desk = desk;
        this.runtime = runtime;
        this.view = new NodeView(runtime);
        this.prober = prober;
        this.slot = slot;
        this.ticker = ticker;
        this.itself = itself;
    }

    /** Sets or, with an empty sentence, clears a finding; returns whether it changed. */
    boolean suspectRenewal(String sentence) {
        boolean changed = !suspectRenewal.equals(sentence);
        suspectRenewal = sentence;
        return changed;
    }

    SelfReport report(long dial, SelfReport.@Nullable Declined declined) {
        AttemptStatus status = slot.current();
        boolean atWork = status != null && !status.isTerminal();
        // A standby took nothing over: it must not report programs down that its executor runs.
        Profile profile = desk.isExecutor() ? desk.profile() : Profile.EMPTY;
        List<ProgramView> programs = new ArrayList<>();
        List<Finding> findings = new ArrayList<>();
        for (ProgramProfile program : profile.programs()) {
            ProgramView seen = look(profile, program);
            programs.add(seen);
            if (!atWork) {
                drift(program, seen).ifPresent(findings::add);
            }
            if (runtime.isCrashLooping(program.spec().name())) {
                findings.add(
                        new Finding(
                                "CRASH_LOOP",
                                program.name(),
                                "The program falls again and again: read its log."));
            }
        }
        if (itself instanceof Itself.OwnJar own) {
            programs.add(look(own));
        }
        @Nullable Finding oddity = desk.oddity();
        if (oddity != null) {
            findings.add(oddity);
        }
        String suspect = suspectRenewal;
        if (!suspect.isEmpty()) {
            findings.add(new Finding("RENEWAL_SUSPECT", "", suspect));
        }
        return new SelfReport(
                itself instanceof Itself.OwnJar own ? own.version() : config.agentVersion(),
                config.runtime(),
                desk.record(),
                dial,
                desk.isExecutor(),
                desk.features(),
                programs,
                findings,
                status,
                declined);
    }

    /** The agent as one of its node's programs. That it can say so is what proves it well. */
    private static ProgramView look(Itself.OwnJar own) {
        Duration upFor = own.upFor().get();
        return new ProgramView(
                Work.AgentUpgrade.PROGRAM,
                new KnownVersion(own.digest(), own.version(), ""),
                own.digest().value(),
                own.digest().value(),
                own.runId(),
                Itself.CONFIG,
                Itself.LAUNCH.digest(),
                List.of(),
                upFor,
                0,
                new Signals(ApplicationHealth.OK, SyncStatus.UNKNOWN, upFor, List.of()));
    }

    private ProgramView look(Profile profile, ProgramProfile program) {
        ProgramState state = runtime.status(program.spec().name());
        return switch (state) {
            case ProgramState.Up up -> {
                String file = fileDigest(program, up.runId());
                Signals signals = prober.signals(program.spec(), up);
                yield new ProgramView(
                        program.name(),
                        profile.version(up.digest()),
                        up.digest().value(),
                        file,
                        up.runId(),
                        view.configDigest(program),
                        program.spec().launch().digest(),
                        view.configFiles(program),
                        up.upFor(),
                        up.startsSince(),
                        signals);
            }
            case ProgramState.Down down -> {
                String file = fileDigest(program, "");
                yield new ProgramView(
                        program.name(),
                        version(profile, file),
                        "",
                        file,
                        "",
                        view.configDigest(program),
                        program.spec().launch().digest(),
                        view.configFiles(program),
                        Duration.ZERO,
                        down.startsSince(),
                        Signals.NONE);
            }
        };
    }

    private static KnownVersion version(Profile profile, String digest) {
        return digest.isEmpty()
                ? new KnownVersion(Digest.of(""), "unknown", "")
                : profile.version(new Digest(digest));
    }

    private String fileDigest(ProgramProfile program, String runId) {
        Hashed hashed = fileDigests.get(program.name());
        long now = ticker.nanos();
        boolean stale =
                hashed == null
                        || !hashed.runId().equals(runId)
                        || now - hashed.atNanos() > HASH_AGAIN.toNanos();
        if (hashed == null || stale) {
            String digest = runtime.installed(program.spec());
            hashed = new Hashed(runId, digest, now);
            fileDigests.put(program.name(), hashed);
        }
        return hashed.digest();
    }

    /** What somebody changed without an attempt. */
    private Optional<Finding> drift(ProgramProfile program, ProgramView seen) {
        String what = "";
        if (seen.running() && !seen.runningDigest().equals(seen.fileDigest())) {
            what = "The program file is not what runs";
        } else if (seen.version().version().equals("unknown")) {
            what = "The program is no version this node was given";
        } else if (runtime.status(program.spec().name()) instanceof ProgramState.Up up
                && !up.configDigest().equals(seen.configDigest())) {
            what = "The configuration is not that of the program's start";
        }
        return what.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new Finding("DRIFT", program.name(), what + ": find out who changed it."));
    }
}
