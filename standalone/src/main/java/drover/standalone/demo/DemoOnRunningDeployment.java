package drover.standalone.demo;

import drover.cli.terminal.OutputTraits;
import drover.localenv.Await;
import drover.localenv.DataDirectory;
import drover.localenv.UserFacingError;
import drover.model.Digest;
import drover.model.NodeId;
import drover.rollout.v1.RolloutNode;
import io.grpc.Channel;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The demo from a mesh that is up: tells the story, then proves its end from the processes. */
public final class DemoOnRunningDeployment {
    /** A JVM on a loaded machine was seen to need 4 s until it listens. */
    private static final Duration STARTS_WITHIN = Duration.ofSeconds(20);

    private DemoOnRunningDeployment() {}

    /**
     * Tells the story.
     *
     * @param server to the operators' door of the mesh
     * @param httpPort where the same door speaks REST
     * @param ports the port of each node's program
     * @param terminal what the output goes to
     * @return true when the running processes' own digests say what the table says
     */
    public static boolean run(
            Channel server,
            int httpPort,
            DataDirectory data,
            Map<String, Integer> ports,
            PrintWriter out,
            OutputTraits terminal) {
        DemoOutput narrator = new DemoOutput(out, terminal);
        DemoOperator story = new DemoOperator(server, narrator, ports.size());
        try (HttpClient client = HttpClient.newHttpClient()) {
            new ApiKeyDemo(client, httpPort).run(data, narrator);
            story.showManifests();
            narrator.printHeading("What really runs, asked of the processes themselves");
            boolean before = verifyAllRun(DemoProgramVersion.V1, client, data, ports, narrator);
            story.rollOutTheGoodRelease();
            boolean between = verifyAllRun(DemoProgramVersion.V2, client, data, ports, narrator);
            story.rollOutTheBadRelease();
            story.rollBack();
            narrator.printHeading("The end: every node, asked of its running process");
            return printTableAndVerify(
                            story.listNodesOfLatestRollout(), client, data, ports, narrator)
                    && before
                    && between;
        }
    }

    private static boolean verifyAllRun(
            DemoProgramVersion release,
            HttpClient client,
            DataDirectory data,
            Map<String, Integer> ports,
            DemoOutput narrator) {
        Digest artifact = readArtifactDigest(data, release);
        long verified =
                ports.entrySet().stream()
                        .filter(
                                node ->
                                        inspectUntilRunning(client, data, node, artifact)
                                                .isRunning(artifact))
                        .count();
        narrator.print(
                verified
                        + " of "
                        + ports.size()
                        + " processes run "
                        + release.version()
                        + " ("
                        + artifact.shortHex()
                        + "), by their own word and by the file they hold open.");
        return verified == ports.size();
    }

    private static boolean printTableAndVerify(
            List<RolloutNode> received,
            HttpClient client,
            DataDirectory data,
            Map<String, Integer> ports,
            DemoOutput narrator) {
        Digest wanted = readArtifactDigest(data, DemoProgramVersion.V2);
        narrator.print(row("NODE", "RUNS", "DIGEST", "GREETS", "STATUS", "REASON"));
        boolean all = true;
        for (Map.Entry<String, Integer> node :
                ports.entrySet().stream()
                        .sorted(Comparator.comparing(Map.Entry::getKey))
                        .toList()) {
            NodeInspection proof = inspectUntilRunning(client, data, node, wanted);
            RolloutNode row =
                    received.stream()
                            .filter(one -> one.getNodeId().equals(node.getKey()))
                            .findFirst()
                            .orElse(RolloutNode.getDefaultInstance());
            boolean good = proof.isRunning(wanted);
            all &= good;
            narrator.print(
                    row(
                            node.getKey(),
                            proof.version().isEmpty() ? "nothing" : proof.version(),
                            good ? wanted.shortHex() : "NOT " + wanted.shortHex(),
                            proof.greeting(),
                            DemoOutput.status(row),
                            DemoOutput.reason(row)));
        }
        narrator.print("");
        narrator.print(
                all
                        ? "Every node runs v2, proven by its own process. No node was left broken."
                        : "Some nodes do not run v2: this is a fault of Drover, please report it.");
        return all;
    }

    private static String row(String... cells) {
        return String.format(Locale.ROOT, "%-12s %-8s %-17s %-10s %-15s %s", (Object[]) cells)
                .stripTrailing();
    }

    /** What the process says; one that was started a moment ago is given time to listen. */
    private static NodeInspection inspectUntilRunning(
            HttpClient client, DataDirectory data, Map.Entry<String, Integer> node, Digest wanted) {
        NodeInspection[] seen = {NodeInspection.NOTHING};
        Await.until(
                STARTS_WITHIN,
                () -> {
                    seen[0] =
                            NodeInspection.inspect(
                                    client, data.node(new NodeId(node.getKey())), node.getValue());
                    return seen[0].isRunning(wanted);
                });
        return seen[0];
    }

    private static Digest readArtifactDigest(DataDirectory data, DemoProgramVersion release) {
        try {
            return Digest.of(
                    Files.readAllBytes(
                            data.config().resolve("artifacts").resolve(release.fileName())));
        } catch (IOException e) {
            throw new UserFacingError("The demo's artifacts cannot be read; check the disk.", e);
        }
    }
}
