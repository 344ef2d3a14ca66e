package drover.cli.rollout;

import drover.cli.terminal.CommandFailed;
import drover.cli.terminal.EnumNames;
import drover.cli.terminal.TimeTextConverter;
import drover.manifest.v1.ConfigChange;
import drover.manifest.v1.MigrationType;
import drover.rollout.v1.CreateRolloutRequest;
import drover.rollout.v1.OnFailure;
import drover.rollout.v1.RollbackHealth;
import drover.rollout.v1.Strategy;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** What a rollout is made of, as it is typed: the same for creating one and for planning it. */
final class RolloutCreationOptions {
    @Option(
            names = "--chain",
            paramLabel = "CHAIN",
            required = true,
            description = "Chain profile.")
    private String chain = "";

    @Option(
            names = "--type",
            paramLabel = "TYPE",
            description = "Type of the nodes; required with --upgrade.")
    private String type = "";

    @Option(
            names = "--upgrade",
            paramLabel = "ID",
            description = "Manifest that says what to install.")
    private String upgrade = "";

    @Option(
            names = "--from",
            paramLabel = "VERSION",
            required = true,
            split = ",",
            description = "Version that targets run now; several may be given.")
    private List<String> from = List.of();

    @Option(
            names = "--strategy",
            paramLabel = "STRATEGY",
            required = true,
            description = "rolling, canary, progressive or all_at_once.")
    private String strategy = "";

    @Option(
            names = "--batch-size",
            paramLabel = "N",
            description = "Nodes a batch; for rolling and canary.")
    private int batchSize;

    @Option(
            names = "--canary-size",
            paramLabel = "N",
            description = "Nodes of the canary (default: 1).")
    private int canarySize;

    @Option(
            names = {"--threshold", "--failure-threshold"},
            paramLabel = "N|N%",
            description = "Failed nodes tolerated, or their part in percent (default: 0).")
    private String failureThreshold = "";

    @Option(
            names = "--failure-threshold-percent",
            paramLabel = "N",
            description = "The same in percent, 1 to 99.")
    private int failureThresholdPercent;

    @Option(
            names = "--offline-budget",
            paramLabel = "N",
            description = "Nodes that may be offline (default: 0).")
    private int offlineBudget;

    @Option(
            names = "--max-in-flight",
            paramLabel = "N",
            description = "Nodes at work at once (default: 100).")
    private int maxInFlight;

    @Option(
            names = "--health-wait",
            paramLabel = "TIME",
            description = "How long a node must be well, such as 60s.")
    private String healthWait = "";

    @Option(names = "--binary", paramLabel = "NAME", description = "Program; without --upgrade.")
    private String binary = "";

    @Option(
            names = "--to",
            paramLabel = "VERSION",
            description = "Version to install; without --upgrade.")
    private String target = "";

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "Where the artifact is; without --upgrade.")
    private String url = "";

    @Option(
            names = "--checksum",
            paramLabel = "DIGEST",
            description = "Its sha256:<hex>; without --upgrade.")
    private String checksum = "";

    @Option(
            names = "--config",
            paramLabel = "PATH=TEMPLATE[,k=v…]",
            description = "A configuration file that changes; may be repeated.")
    private List<String> configs = List.of();

    @Option(
            names = "--migration",
            paramLabel = "TYPE",
            description = "none, compatible or breaking.")
    private String migration = "";

    @Option(
            names = "--recovery-plan",
            paramLabel = "TEXT",
            description = "What to do when state cannot be read.")
    private String recoveryPlan = "";

    @Option(names = "--acknowledge-state-risk", description = "Needed for breaking migrations.")
    private boolean acknowledgeStateRisk;

    @Option(
            names = "--manifest-hash",
            paramLabel = "DIGEST",
            description = "Hash to record when created by hand.")
    private String manifestHash = "";

    @Option(names = "--node", paramLabel = "NODE", split = ",", description = "Only these nodes.")
    private List<String> nodes = List.of();

    @Option(names = "--exclude", paramLabel = "NODE", split = ",", description = "Not these nodes.")
    private List<String> exclude = List.of();

    @Option(
            names = "--selector",
            paramLabel = "LABEL=VALUE",
            split = ",",
            description = "Only nodes so labelled; may be repeated.")
    private Map<String, String> selector = Map.of();

    @Option(
            names = "--order",
            paramLabel = "ORDER",
            description =
                    "Order of the nodes: name (default), as-listed (order of --node) or label:KEY.")
    private String order = "";

    @Option(
            names = "--last",
            paramLabel = "NODE",
            split = ",",
            description = "Upgrade these nodes after all others, in this order.")
    private List<String> last = List.of();

    @Option(names = "--force-continue", description = "Go on after failures; all_at_once only.")
    private boolean forceContinue;

    @Option(names = "--skip-validation", description = "Do not wait for health; all_at_once only.")
    private boolean skipValidation;

    @Option(
            names = "--on-failure",
            paramLabel = "pause|rollback",
            description = "When failures stop it: wait for a person (default), or go back.")
    private String onFailure = "";

    @Option(
            names = "--unhealthy-budget",
            paramLabel = "N",
            description = "Targets that may be unhealthy before their upgrade (default: 0).")
    private int unhealthyBudget;

    @Option(
            names = "--rollback-health",
            paramLabel = "wait|ask|ignore",
            description = "Health gate of a rollback (default: wait).")
    private String rollbackHealth = "";

    @Option(
            names = "--finish-by",
            paramLabel = "TIME",
            description = "When it must be done, such as 2026-01-31T12:00:00Z.")
    private String finishBy = "";

    CreateRolloutRequest request() {
        CreateRolloutRequest.Builder request =
                CreateRolloutRequest.newBuilder()
                        .setChainProfileId(chain)
                        .setNodeType(type)
                        .setUpgradeId(upgrade)
                        .setBinaryName(binary)
                        .setSourceVersion(from.getFirst())
                        .addAllSourceVersions(from.subList(1, from.size()))
                        .setTargetVersion(target)
                        .setTargetBinaryUrl(url)
                        .setTargetBinaryChecksum(checksum)
                        .setStrategyValue(
                                EnumNames.parseNumber(
                                        "--strategy", strategy, Strategy.getDescriptor()))
                        .setMigrationTypeValue(
                                EnumNames.parseNumber(
                                        "--migration", migration, MigrationType.getDescriptor()))
                        .setOnFailureValue(
                                EnumNames.parseNumber(
                                        "--on-failure", onFailure, OnFailure.getDescriptor()))
                        .setRollbackHealthValue(
                                EnumNames.parseNumber(
                                        "--rollback-health",
                                        rollbackHealth,
                                        RollbackHealth.getDescriptor()))
                        .setRecoveryPlan(recoveryPlan)
                        .setAcknowledgeStateRisk(acknowledgeStateRisk)
                        .setManifestContentHash(manifestHash)
                        .setForceContinue(forceContinue)
                        .setSkipValidation(skipValidation)
                        .addAllNodeIds(nodes)
                        .addAllExclude(exclude)
                        .setOrder(order)
                        .addAllLastNodeIds(last)
                        .putAllNodeSelector(selector);
        configs.forEach(config -> request.addConfigChanges(configChange(config)));
        if (!healthWait.isEmpty()) {
            request.setHealthWaitDuration(
                    TimeTextConverter.parseDuration("--health-wait", healthWait));
        }
        if (!finishBy.isEmpty()) {
            request.setFinishBy(
                    TimeTextConverter.parseTimestamp(
                            "--finish-by", finishBy, ZoneId.systemDefault()));
        }
        return setNumbers(request).build();
    }

    private CreateRolloutRequest.Builder setNumbers(CreateRolloutRequest.Builder request) {
        FailureThreshold threshold =
                FailureThreshold.parse(
                        failureThreshold,
                        requireNotNegative("--failure-threshold-percent", failureThresholdPercent));
        return request.setBatchSize(requireNotNegative("--batch-size", batchSize))
                .setCanarySize(requireNotNegative("--canary-size", canarySize))
                .setFailureThreshold(threshold.count())
                .setFailureThresholdPercent(threshold.percent())
                .setOfflineBudget(requireNotNegative("--offline-budget", offlineBudget))
                .setUnhealthyBudget(requireNotNegative("--unhealthy-budget", unhealthyBudget))
                .setMaxInFlight(requireNotNegative("--max-in-flight", maxInFlight));
    }

    private static int requireNotNegative(String option, int number) {
        if (number < 0) {
            throw CommandFailed.usage(option + " does not take a negative number.");
        }
        return number;
    }

    /** Reads {@code PATH=TEMPLATE}, then {@code ,key=value} for each override. */
    private static ConfigChange configChange(String text) {
        String[] parts = text.split(",", -1);
        String[] file = parts[0].split("=", 2);
        if (file.length != 2 || file[0].isEmpty() || file[1].isEmpty()) {
            throw invalidConfigChange(text);
        }
        ConfigChange.Builder change =
                ConfigChange.newBuilder().setPath(file[0]).setTemplate(file[1]);
        for (String override : List.of(parts).subList(1, parts.length)) {
            String[] variable = override.split("=", 2);
            if (variable.length != 2 || variable[0].isEmpty()) {
                throw invalidConfigChange(text);
            }
            change.putOverrides(variable[0], variable[1]);
        }
        return change.build();
    }

    private static CommandFailed invalidConfigChange(String text) {
        return CommandFailed.usage(
                "--config does not take '"
                        + text
                        + "'; write PATH=TEMPLATE or"
                        + " PATH=TEMPLATE,key=value.");
    }
}
