package drover.opsagent.main;

import drover.model.program.DownloadAddress;
import drover.model.program.PinnedImageRule;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.fetch.DownloadPolicy;
import drover.opsagent.fetch.DownloadRateLimit;
import drover.opsagent.fetch.HostAccessByOrigin;
import drover.opsagent.fetch.HostAccessFile;
import drover.opsagent.fetch.HttpFetcher;
import drover.opsagent.identity.EnrollmentConfig;
import drover.opsagent.identity.IdentityFile;
import drover.opsagent.metrics.AgentMetrics;
import drover.opsagent.peers.GatewayAddress;
import drover.opsagent.policy.LocalPolicy;
import drover.opsagent.policy.PolicyFile;
import drover.opsagent.policy.TokenFile;
import drover.opsagent.runtime.RuntimeRegistry;
import drover.opsagent.runtime.process.ProcessRuntime;
import drover.opsagent.selfupgrade.AgentCommandLine;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.time.Ticker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What an agent was told on its command line. Every refusal is one sentence. */
final class AgentFlags {
    static final String ROLL_BACK = "--roll-back-last";
    static final String PRUNE = "--prune-versions";
    static final String PIN_TRUST = "--pin-trust";
    private static final String SUCCESSORS = "--successors";
    private static final String HANDOVER_TIMEOUT = "--handover-timeout";
    private static final String RECONNECT = "--reconnect-within";
    private static final String ALLOW_LOCAL = "--allow-local";
    private static final String DRY_RUN = "--dry-run";
    static final String REENROLL = "--again";
    private static final String TOKEN_FILE = "--token-file";
    private static final String JOIN_TOKEN_FILE = "--join-token-file";
    private static final String ENROLL_AT = "--enrol-at";
    private static final Set<String> WITHOUT_VALUE =
            Set.of(
                    ALLOW_LOCAL,
                    ROLL_BACK,
                    PIN_TRUST,
                    DRY_RUN,
                    REENROLL,
                    AgentCommandLine.SELF_TEST);
    private static final Set<String> WITH_VALUE =
            Set.of(
                    "--gateway",
                    RECONNECT,
                    "--state",
                    "--root",
                    TOKEN_FILE,
                    JOIN_TOKEN_FILE,
                    ENROLL_AT,
                    "--allow-host",
                    "--artifact-hosts",
                    "--download-rate",
                    "--metrics",
                    "--runtime",
                    "--runtimes",
                    "--policy",
                    SUCCESSORS,
                    HANDOVER_TIMEOUT,
                    PRUNE,
                    "--spec",
                    "--version",
                    "--url",
                    "--set");

    private final Map<String, List<String>> flags;

    private AgentFlags(Map<String, List<String>> flags) {
        this.flags = flags;
    }

    /**
     * Pairs of flag and value, as two words or with {@code =} between them; {@code --allow-local},
     * {@code --roll-back-last} and {@code --self-test}, {@code --pin-trust} and {@code --dry-run}
     * stand alone.
     *
     * @throws IllegalArgumentException when a flag is unknown or lacks its value
     */
    static AgentFlags of(String... arguments) {
        Map<String, List<String>> flags = new HashMap<>();
        Iterator<String> left = List.of(arguments).iterator();
        while (left.hasNext()) {
            String[] words = left.next().split("=", 2); // --flag VALUE, or --flag=VALUE
            String flag = words[0];
            if (WITHOUT_VALUE.contains(flag)) {
                if (words.length > 1) {
                    throw new IllegalArgumentException(flag + " takes no value.");
                }
                flags.put(flag, List.of());
                continue;
            }
            if (!WITH_VALUE.contains(flag)) {
                throw new IllegalArgumentException("'" + flag + "' is no flag of the agent.");
            }
            if (words.length < 2 && !left.hasNext()) {
                throw new IllegalArgumentException(flag + " needs a value.");
            }
            flags.computeIfAbsent(flag, _ -> new ArrayList<>())
                    .add(words.length > 1 ? words[1] : left.next());
        }
        return new AgentFlags(flags);
    }

    OpsAgentConfig toConfig() {
        List<GatewayAddress> gateways = gateways(); // what is wrong with them is said first
        Optional<EnrollmentConfig> join = enrollment();
        OpsAgentConfig config =
                OpsAgentConfig.forRuntime(
                        runtime(), stateDirectory(), rootDirectory(), gateways, readNodeToken());
        OpsAgentConfig paced =
                flags.containsKey(RECONNECT)
                        ? config.withReconnectCap(Duration.ofSeconds(intValue(RECONNECT, 1, 600)))
                        : config;
        return join.map(paced::withEnrollment).orElse(paced);
    }

    /** Where this machine becomes a node by itself; empty where nobody asked for that. */
    private Optional<EnrollmentConfig> enrollment() {
        if (flags.containsKey(JOIN_TOKEN_FILE) != flags.containsKey(ENROLL_AT)) {
            throw new IllegalArgumentException(
                    JOIN_TOKEN_FILE + " and " + ENROLL_AT + " need each other.");
        }
        if (!flags.containsKey(ENROLL_AT)) {
            return Optional.empty();
        }
        if (flags.containsKey(TOKEN_FILE)) {
            throw new IllegalArgumentException(
                    "A node shows a token or a certificate: leave "
                            + TOKEN_FILE
                            + " or "
                            + JOIN_TOKEN_FILE
                            + " out.");
        }
        return Optional.of(
                new EnrollmentConfig(
                        GatewayAddress.parseAll(values(ENROLL_AT)),
                        Path.of(singleValue(JOIN_TOKEN_FILE)).toAbsolutePath().normalize()));
    }

    /** Those that are dialled, at least one. */
    List<GatewayAddress> gateways() {
        List<GatewayAddress> gateways = GatewayAddress.parseAll(values("--gateway"));
        if (gateways.isEmpty()) {
            throw new IllegalArgumentException("--gateway is missing.");
        }
        return gateways;
    }

    /** The node's token; empty where the machine was enrolled, or will be. */
    private String readNodeToken() {
        if (flags.containsKey(TOKEN_FILE)) {
            return readTokenFile();
        }
        if (enrollment().isEmpty() && !Files.exists(stateDirectory().resolve(IdentityFile.NAME))) {
            throw new IllegalArgumentException(
                    "This machine is no node yet: run 'agent enroll' with a join token, or name a"
                            + " --join-token-file or a --token-file.");
        }
        return "";
    }

    /** The one line of {@code --token-file}. */
    String readTokenFile() {
        return readToken(Path.of(singleValue(TOKEN_FILE)));
    }

    /** Whether a machine that is a node already is enrolled anew. */
    boolean isReenrollment() {
        return flags.containsKey(REENROLL);
    }

    Path stateDirectory() {
        return Path.of(singleValue("--state")).toAbsolutePath().normalize();
    }

    Path rootDirectory() {
        return Path.of(singleValue("--root")).toAbsolutePath().normalize();
    }

    String runtime() {
        return flags.containsKey("--runtime") ? singleValue("--runtime") : ProcessRuntime.PROCESS;
    }

    /** What the agent stands on: this machine, within the bounds of its policy. */
    OpsAgent.Dependencies createDependencies(AgentMetrics metrics) {
        LocalPolicy policy = readPolicy();
        DownloadPolicy downloads = downloadPolicy(policy);
        OpsAgent.Dependencies parts =
                OpsAgent.Dependencies.local(
                        LocalDisk.withJail(rootDirectory(), stateDirectory()),
                        downloads,
                        metrics,
                        loadRuntimes().withPolicy(policy));
        return parts.withFetcher(createFetcher(downloads, parts.ticker()));
    }

    private HttpFetcher createFetcher(DownloadPolicy downloads, Ticker ticker) {
        HostAccessByOrigin hosts =
                flags.containsKey("--artifact-hosts")
                        ? HostAccessFile.read(Path.of(singleValue("--artifact-hosts")))
                        : HostAccessByOrigin.NONE;
        DownloadRateLimit rate =
                flags.containsKey("--download-rate")
                        ? DownloadRateLimit.parse(singleValue("--download-rate"))
                        : DownloadRateLimit.UNLIMITED;
        return new HttpFetcher(downloads, hosts, rate, ticker);
    }

    /** A node that is the whole machine needs bounds; one in a directory of its own has them. */
    LocalPolicy readPolicy() {
        if (flags.containsKey("--policy")) {
            return PolicyFile.read(Path.of(singleValue("--policy")), "root");
        }
        if (rootDirectory().getNameCount() == 0) {
            throw new IllegalArgumentException(
                    "--root / needs --policy: a file of root that lists what the agent may touch.");
        }
        return LocalPolicy.WHOLE_ROOT;
    }

    /** Those that come with the agent, and those of the directory {@code --runtimes}. */
    private RuntimeRegistry loadRuntimes() {
        Map<String, String> settings = new HashMap<>();
        for (String pair : values("--set")) {
            int equals = pair.indexOf('=');
            if (equals < 1
                    || settings.put(pair.substring(0, equals), pair.substring(equals + 1))
                            != null) {
                throw new IllegalArgumentException(
                        "--set takes KEY=VALUE, each key once: '" + pair + "' is not that.");
            }
        }
        return flags.containsKey("--runtimes")
                ? RuntimeRegistry.withPlugins(Path.of(singleValue("--runtimes")), settings)
                : RuntimeRegistry.builtIn(settings);
    }

    /** Hosts that flags name count only as far as the policy lists them, too. */
    private DownloadPolicy downloadPolicy(LocalPolicy policy) {
        if (flags.containsKey(ALLOW_LOCAL)) {
            return DownloadPolicy.forLocalMachine();
        }
        Set<String> named = Set.copyOf(values("--allow-host"));
        if (policy.hosts().isEmpty()) {
            return DownloadPolicy.forFleet(named);
        }
        if (!policy.hosts().containsAll(named)) {
            throw new IllegalArgumentException(
                    "--allow-host names a host that the policy does not list: "
                            + String.join(", ", new TreeSet<>(named))
                            + ".");
        }
        return DownloadPolicy.forFleet(named.isEmpty() ? policy.hosts() : named);
    }

    /** Where to show metrics; nowhere unless asked for: several agents may run on one machine. */
    List<String> metricsAddresses() {
        return values("--metrics");
    }

    /** Who starts the agent's successors: {@code process} or {@code systemd}. */
    String successorLauncher() {
        return flags.containsKey(SUCCESSORS) ? singleValue(SUCCESSORS) : "process";
    }

    /** How long the control plane may be there without hearing a successor (seed 001). */
    Duration handoverTimeout() {
        return flags.containsKey(HANDOVER_TIMEOUT)
                ? Duration.ofSeconds(intValue(HANDOVER_TIMEOUT, 1, 3_600))
                : Duration.ofSeconds(60);
    }

    /** How many of the newest versions of the agent stay when others are removed. */
    int versionsToRetain() {
        return intValue(PRUNE, 1, 1_000);
    }

    private int intValue(String flag, int least, int most) {
        String text = singleValue(flag);
        boolean digits = text.matches("[0-9]{1,6}");
        int number = digits ? Integer.parseInt(text) : -1;
        if (number < least || number > most) {
            throw new IllegalArgumentException(
                    flag + " is a number from " + least + " to " + most + ", not '" + text + "'.");
        }
        return number;
    }

    /** What is to be adopted, as the file {@code --spec} has it. */
    ProgramProfile readAdoptedProgram() {
        return AdoptCommand.readProgram(Path.of(singleValue("--spec")));
    }

    /** What the operator calls the version that is to be adopted. */
    Optional<String> adoptedVersion() {
        return values("--version").isEmpty()
                ? Optional.empty()
                : Optional.of(singleValue("--version"));
    }

    /**
     * Address of that version's artifact.
     *
     * @throws IllegalArgumentException with one sentence, if no agent could download from it
     */
    Optional<String> adoptedVersionUrl() {
        if (values("--url").isEmpty()) {
            return Optional.empty();
        }
        String url = singleValue("--url");
        if (!PinnedImageRule.isPinned(url)) {
            DownloadAddress.parse(url);
        }
        return Optional.of(url);
    }

    /** Whether to show what would be done, and do nothing. */
    boolean isDryRun() {
        return flags.containsKey(DRY_RUN);
    }

    private List<String> values(String flag) {
        return flags.getOrDefault(flag, List.of());
    }

    private String singleValue(String flag) {
        List<String> values = values(flag);
        if (values.size() != 1) {
            throw new IllegalArgumentException("Give " + flag + " once.");
        }
        return values.getFirst();
    }

    private static String readToken(Path file) {
        try {
            String token = TokenFile.readUnstripped(file).strip();
            if (token.isEmpty()) {
                throw new IllegalArgumentException("The token file " + file + " is empty.");
            }
            return token;
        } catch (IOException e) {
            throw new IllegalArgumentException("The token file " + file + " cannot be read.", e);
        }
    }
}
