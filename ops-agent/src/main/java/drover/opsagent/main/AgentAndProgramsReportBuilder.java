package drover.opsagent.main;

import drover.model.ApplicationHealth;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.SyncStatus;
import drover.opsagent.engine.AgentFinding;
import drover.opsagent.engine.CommandProcessor;
import drover.opsagent.engine.ProgramInspector;
import drover.opsagent.engine.StatusSlot;
import drover.opsagent.journal.AttemptStatus;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import drover.opsagent.peers.ReportedProgram;
import drover.opsagent.peers.SelfReport;
import drover.opsagent.plan.ConfigChangesSinceStart;
import drover.opsagent.probe.ProbeSummary;
import drover.opsagent.probe.Prober;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.runtime.RestartBackoff;
import drover.opsagent.selfupgrade.AgentPackaging;
import drover.opsagent.store.KnownVersion;
import drover.opsagent.store.NodeProfile;
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
final class AgentAndProgramsReportBuilder {
    private static final Duration REHASH_INTERVAL =
            Duration.ofMinutes(1); // program files are large
    private final OpsAgentConfig config;
    private final CommandProcessor processor;
    private final NodeRuntime runtime;
    private final ProgramInspector view;
    private final Prober prober;
    private final StatusSlot slot;
    private final Ticker ticker;
    private final AgentPackaging installation;
    private final Map<String, CachedFileDigest> fileDigests = new HashMap<>();

    private volatile String suspectRenewal = "";

    private record CachedFileDigest(String runId, String digest, long atNanos) {}

    AgentAndProgramsReportBuilder(
            OpsAgentConfig config,
            CommandProcessor processor,
            NodeRuntime runtime,
            Prober prober,
            StatusSlot slot,
            Ticker ticker,
            AgentPackaging itself) {
        this.config = config;
        this.processor = processor;
        this.runtime = runtime;
        this.view = new ProgramInspector(runtime);
        this.prober = prober;
        this.slot = slot;
        this.ticker = ticker;
        this.installation = itself;
    }

    /** Sets or, with an empty sentence, clears a finding; returns whether it changed. */
    boolean setRenewalFinding(String sentence) {
        boolean changed = !suspectRenewal.equals(sentence);
        suspectRenewal = sentence;
        return changed;
    }

    SelfReport build(
            long connectionNumber, SelfReport.@Nullable TemporarilyDeclinedCommand declined) {
        AttemptStatus status = slot.currentStatus();
        boolean atWork = status != null && !status.isTerminal();
        // A standby took nothing over: it must not report programs down that its executor runs.
        NodeProfile profile = processor.isExecutor() ? processor.loadProfile() : NodeProfile.EMPTY;
        List<ReportedProgram> programs = new ArrayList<>();
        List<AgentFinding> findings = new ArrayList<>();
        for (ProgramProfile program : profile.programs()) {
            ReportedProgram seen = buildProgramReport(profile, program);
            programs.add(seen.withCluster(prober.readCluster(program.spec(), seen.runId())));
            if (!atWork) {
                findDrift(program, seen).ifPresent(findings::add);
            }
            if (runtime.isCrashLooping(program.spec().name())) {
                findings.add(newCrashLoopFinding(program));
            }
        }
        if (installation instanceof AgentPackaging.SelfUpgradable own) {
            programs.add(buildProgramReport(own));
        }
        @Nullable AgentFinding finding = processor.latestCommandFinding();
        if (finding != null) {
            findings.add(finding);
        }
        @Nullable AgentFinding disk = processor.findDiskProblem();
        if (disk != null) {
            findings.add(disk);
        }
        String suspect = suspectRenewal;
        if (!suspect.isEmpty()) {
            findings.add(new AgentFinding("RENEWAL_SUSPECT", "", suspect));
        }
        return new SelfReport(
                installation instanceof AgentPackaging.SelfUpgradable own
                        ? own.version()
                        : config.agentVersion(),
                config.runtime(),
                processor.agentRecord(),
                connectionNumber,
                processor.isExecutor(),
                processor.features(),
                programs,
                findings,
                status,
                declined);
    }

    private AgentFinding newCrashLoopFinding(ProgramProfile program) {
        return new AgentFinding(
                "CRASH_LOOP",
                program.name(),
                RestartBackoff.describeCrashLoop(
                        runtime.describeLastCrash(program.spec().name()),
                        runtime.describeStartFailure(program.spec().name())));
    }

    /** How the latest run ended comes first: a failing probe often follows from it. */
    private ProbeSummary withLastCrash(ProgramProfile program, ProbeSummary signals) {
        String end = runtime.describeLastCrash(program.spec().name());
        return end.isEmpty() ? signals : withFirstDetail("its last run ended " + end, signals);
    }

    /** How an earlier run ended is no problem of a program whose probes are well by now. */
    private ProbeSummary withLastCrashUnlessHealthy(
            ProgramProfile program, ProgramState.Up up, ProbeSummary signals) {
        boolean healthy =
                signals.health() == ApplicationHealth.OK
                        && !runtime.isCrashLooping(program.spec().name());
        return up.startsSince() == 0 || healthy ? signals : withLastCrash(program, signals);
    }

    /** Why the program does not start again comes first. */
    private ProbeSummary withStartFailure(
            ProgramProfile program, String fileDigest, ProbeSummary signals) {
        String failure = runtime.describeStartFailure(program.spec().name());
        String detail =
                failure.isEmpty()
                        ? describeMissingProgram(program, fileDigest)
                        : "it cannot be started: " + failure;
        return detail.isEmpty() ? signals : withFirstDetail(detail, signals);
    }

    private static ProbeSummary withFirstDetail(String first, ProbeSummary signals) {
        List<String> details = new ArrayList<>();
        details.add(first);
        details.addAll(signals.details());
        return new ProbeSummary(signals.health(), signals.sync(), signals.healthyFor(), details);
    }

    /** The agent as one of its node's programs. That it can say so is what proves it well. */
    private static ReportedProgram buildProgramReport(AgentPackaging.SelfUpgradable own) {
        Duration upFor = own.uptime().get();
        return new ReportedProgram(
                Work.AgentUpgrade.PROGRAM,
                new KnownVersion(own.digest(), own.version(), ""),
                own.digest().value(),
                own.digest().value(),
                own.runId(),
                AgentPackaging.CONFIG,
                AgentPackaging.LAUNCH.digest(),
                List.of(),
                upFor,
                0,
                new ProbeSummary(ApplicationHealth.OK, SyncStatus.UNKNOWN, upFor, List.of()));
    }

    private ReportedProgram buildProgramReport(NodeProfile profile, ProgramProfile program) {
        ProgramState state = runtime.status(program.spec().name());
        return switch (state) {
            case ProgramState.Up up -> {
                String file = cachedFileDigest(program, up.runId());
                ProbeSummary signals = prober.summarize(program.spec(), up);
                yield new ReportedProgram(
                        program.name(),
                        up.digest() == null
                                ? findVersionOrUnknown(profile, file)
                                : profile.findVersionOrUnknown(up.digest()),
                        up.digest() == null ? "" : up.digest().value(),
                        file,
                        up.runId(),
                        view.readConfigDigest(program),
                        program.spec().launch().digest(),
                        view.readConfigFiles(program),
                        up.upFor(),
                        up.startsSince(),
                        withChangedFiles(
                                program, up, withLastCrashUnlessHealthy(program, up, signals)));
            }
            case ProgramState.Down down -> {
                String file = cachedFileDigest(program, "");
                yield new ReportedProgram(
                        program.name(),
                        findVersionOrUnknown(profile, file),
                        "",
                        file,
                        "",
                        view.readConfigDigest(program),
                        program.spec().launch().digest(),
                        view.readConfigFiles(program),
                        Duration.ZERO,
                        down.startsSince(),
                        down.desired()
                                ? withStartFailure(
                                        program, file, withLastCrash(program, ProbeSummary.NONE))
                                : ProbeSummary.NONE);
            }
        };
    }

    /** Names the files that make the configuration another one than at the program's start. */
    private ProbeSummary withChangedFiles(
            ProgramProfile program, ProgramState.Up up, ProbeSummary signals) {
        return up.configDigest().equals(view.readConfigDigest(program))
                ? signals
                : withFirstDetail(view.findConfigDrift(program).describe(), signals);
    }

    private static KnownVersion findVersionOrUnknown(NodeProfile profile, String digest) {
        return digest.isEmpty()
                ? new KnownVersion(Digest.of(""), "unknown", "")
                : profile.findVersionOrUnknown(new Digest(digest));
    }

    private String cachedFileDigest(ProgramProfile program, String runId) {
        CachedFileDigest hashed = fileDigests.get(program.name());
        long now = ticker.nanos();
        boolean stale =
                hashed == null
                        || !hashed.runId().equals(runId)
                        || now - hashed.atNanos() > REHASH_INTERVAL.toNanos();
        if (hashed == null || stale) {
            String digest = runtime.installedDigest(program.spec());
            hashed = new CachedFileDigest(runId, digest, now);
            fileDigests.put(program.name(), hashed);
        }
        return hashed.digest();
    }

    /** Empty if the program file is there, or if the program is an image. */
    private String describeMissingProgram(ProgramProfile program, String fileDigest) {
        List<NodePath> files = runtime.programFiles(program.spec());
        return fileDigest.isEmpty() && !files.isEmpty()
                ? "The program file " + files.getFirst() + " is missing"
                : "";
    }

    /** What somebody changed without an attempt. */
    private Optional<AgentFinding> findDrift(ProgramProfile program, ReportedProgram seen) {
        if (seen.isRunning() && seen.runningDigest().isEmpty()) {
            return Optional.of(
                    new AgentFinding(
                            ReasonCode.NOT_INSPECTABLE.name(),
                            program.name(),
                            "The agent may not inspect what runs: run the agent as root, or set"
                                    + " identity: file for the program."));
        }
        String what = "";
        String missing = describeMissingProgram(program, seen.fileDigest());
        if (!missing.isEmpty()) {
            what = missing;
        } else if (seen.isRunning() && !seen.runningDigest().equals(seen.fileDigest())) {
            what = "The program file is not what runs";
        } else if (seen.version().version().equals("unknown")) {
            what = "The program is no version this node was given";
        } else if (runtime.status(program.spec().name()) instanceof ProgramState.Up up
                && !up.configDigest().equals(seen.configDigest())) {
            ConfigChangesSinceStart drift = view.findConfigDrift(program);
            what = drift.describe();
            if (drift.isMoreThanMissingFiles()) {
                what += " (if the program writes it, set 'managed: merge' in its chain profile)";
            }
        }
        return what.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new AgentFinding(
                                "DRIFT", program.name(), what + ": find out what changed it."));
    }
}
