package drover.standalone;

import drover.localenv.DataDirectory;
import drover.localenv.NodeDirectory;
import drover.localenv.UserFacingError;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.program.BinaryName;
import drover.standalone.fleet.ManifestAndGatewayClient;
import drover.standalone.fleet.PlannedNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Makes nodes ready for their agents: known to the gateways, and laid out with what they run. */
public final class RegisteringNodeProvisioner {
    private final DataDirectory data;
    private final ManifestAndGatewayClient endpoints;
    private final ServiceFactory services;
    private final Function<NodeDirectory, Optional<Digest>> token;

    private RegisteringNodeProvisioner(
            DataDirectory data,
            ManifestAndGatewayClient endpoints,
            ServiceFactory services,
            Function<NodeDirectory, Optional<Digest>> token) {
        this.data = data;
        this.endpoints = endpoints;
        this.services = services;
        this.token = token;
    }

    /** Each has a token of its own, made at the first time. */
    RegisteringNodeProvisioner(
            DataDirectory data, ManifestAndGatewayClient endpoints, ServiceFactory services) {
        this(data, endpoints, services, node -> Optional.of(node.tokenDigest()));
    }

    /** Of a mesh whose services run elsewhere. */
    public static RegisteringNodeProvisioner forExternalServices(
            DataDirectory data, ManifestAndGatewayClient endpoints) {
        return new RegisteringNodeProvisioner(
                data, endpoints, new InProcessServiceFactory(Map.of()));
    }

    /** The same for nodes that show certificates: none has a token. */
    public static RegisteringNodeProvisioner withCertificates(
            DataDirectory data, ManifestAndGatewayClient endpoints) {
        return new RegisteringNodeProvisioner(
                data, endpoints, new InProcessServiceFactory(Map.of()), _ -> Optional.empty());
    }

    /** What a node is after it was prepared. */
    public sealed interface Outcome {
        /** Which. */
        NodeId node();

        /**
         * Its agent may start.
         *
         * @param missing programs of its entry in nodes.yaml that an existing node does not have
         */
        record Ready(NodeId node, List<BinaryName> missing) implements Outcome {
            public Ready {
                missing = List.copyOf(missing);
            }
        }

        /** Somebody took it out of service, and it is left as it is. */
        record Retired(NodeId node) implements Outcome {}

        /** It is not ready for its agent. */
        record Failed(NodeId node, String why) implements Outcome {}
    }

    /**
     * What preparing came to.
     *
     * @param outcomes of the nodes that it came to, in their order
     * @param end why it came to no other: a part of the mesh is away, and each would wait for it
     */
    public record ProvisioningOutcomes(
            List<Outcome> outcomes, Optional<ManifestAndGatewayClient.ServiceUnavailable> end) {
        public ProvisioningOutcomes {
            outcomes = List.copyOf(outcomes);
        }

        /** One sentence for each program that provisioning does not add to an existing node. */
        public List<String> missingProgramNotices() {
            List<String> sentences = new ArrayList<>();
            for (Outcome outcome : outcomes) {
                if (outcome instanceof Outcome.Ready(NodeId node, List<BinaryName> missing)) {
                    missing.forEach(program -> sentences.add(missingSentence(node, program)));
                }
            }
            return sentences;
        }

        private static String missingSentence(NodeId node, BinaryName program) {
            return "Node %s exists without program %s of nodes.yaml: start the program and add it with 'drover agent adopt'."
                    .formatted(node, program);
        }

        /** Nodes that are not ready for their agents. */
        public List<Outcome.Failed> failures() {
            return outcomes.stream()
                    .filter(Outcome.Failed.class::isInstance)
                    .map(Outcome.Failed.class::cast)
                    .toList();
        }

        /**
         * Requires that every node is ready.
         *
         * @throws UserFacingError with one sentence for each that is not, and the one of the end
         */
        public void requireAllReady() {
            if (end.isPresent() || !failures().isEmpty()) {
                throw newError();
            }
        }

        /**
         * Requires that provisioning was not interrupted and that at least one node of {@code own}
         * is ready; without own nodes, that any node is ready, if there are nodes.
         *
         * @param own the nodes whose agents the deployment starts
         * @throws UserFacingError as {@link #requireAllReady}
         */
        public void requireAnyReady(List<NodeId> own) {
            List<NodeId> failed = failures().stream().map(Outcome.Failed::node).toList();
            boolean allFailed =
                    own.isEmpty()
                            ? !failed.isEmpty() && failed.size() == outcomes.size()
                            : failed.containsAll(own);
            if (end.isPresent() || allFailed) {
                throw newError();
            }
        }

        private UserFacingError newError() {
            List<String> sentences = new ArrayList<>();
            failures().forEach(it -> sentences.add(it.node() + " is not ready: " + it.why()));
            end.ifPresent(unanswered -> sentences.add(unanswered.message()));
            String message = String.join("\n", sentences);
            return end.map(cause -> new UserFacingError(message, cause))
                    .orElseGet(() -> new UserFacingError(message));
        }
    }

    /**
     * Idempotent: a node that has its first programs keeps what it runs by now. One that cannot be
     * made ready, because its disk is broken or its token was ended, keeps no other from it.
     */
    public ProvisioningOutcomes provision(List<PlannedNode> nodes) {
        List<Outcome> outcomes = new ArrayList<>();
        for (PlannedNode node : nodes) {
            try {
                outcomes.add(provision(node));
            } catch (ManifestAndGatewayClient.ServiceUnavailable e) {
                return new ProvisioningOutcomes(outcomes, Optional.of(e));
            } catch (UserFacingError e) {
                outcomes.add(new Outcome.Failed(node.name(), e.message()));
            }
        }
        return new ProvisioningOutcomes(outcomes, Optional.empty());
    }

    private Outcome provision(PlannedNode node) {
        NodeDirectory directory = data.node(node.name());
        if (endpoints.register(node, token.apply(directory)).hasRetiredAt()) {
            return new Outcome.Retired(node.name());
        }
        Optional<Set<String>> installed = services.findInstalledPrograms(directory);
        if (installed.isEmpty()) {
            services.installInitialPrograms(endpoints.renderInstallation(node, directory));
        }
        List<BinaryName> missing =
                node.programs().stream()
                        .map(PlannedNode.InitialProgram::name)
                        .filter(
                                program ->
                                        installed.isPresent()
                                                && !installed.get().contains(program.value()))
                        .toList();
        return new Outcome.Ready(node.name(), missing);
    }
}
