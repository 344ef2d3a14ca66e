package drover.standalone;

import drover.agent.v1.ProgramSpec;
import drover.kit.grpc.Address;
import drover.kit.grpc.GrpcServer;
import drover.localenv.NodeDirectory;
import drover.localenv.UserFacingError;
import drover.manifest.v1.ChainProfile;
import drover.manifest.v1.InitialProgram;
import drover.manifest.v1.ListChainProfilesRequest;
import drover.manifest.v1.ListChainProfilesResponse;
import drover.manifest.v1.ManifestCatalogServiceGrpc.ManifestCatalogServiceImplBase;
import drover.manifest.v1.RenderConfigsRequest;
import drover.manifest.v1.RenderConfigsResponse;
import drover.manifest.v1.RenderedNode;
import drover.manifest.v1.StandaloneNodes;
import drover.node.v1.ListDirectoryRequest;
import drover.node.v1.ListDirectoryResponse;
import drover.node.v1.Node;
import drover.node.v1.NodeDirectoryServiceGrpc.NodeDirectoryServiceImplBase;
import drover.node.v1.RegisterNodeRequest;
import drover.node.v1.RegisterNodeResponse;
import drover.standalone.StandaloneConfig.AgentTimings;
import drover.standalone.fleet.NodeInstallation;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Services that do nothing but answer as a mesh that is starting needs it, and keep a log. */
public final class ScriptedServiceFactory implements ServiceFactory {
    final List<String> log = new ArrayList<>();
    final Map<String, RegisterNodeRequest> registered = new ConcurrentHashMap<>();
    final Set<String> installed = new HashSet<>();
    private final Set<String> online = ConcurrentHashMap.newKeySet();
    private final Map<String, Runnable> atInstall = new HashMap<>();
    private final Set<String> broken = new HashSet<>();

    /** Makes one more part fail to start. */
    public ScriptedServiceFactory breaking(String part) {
        broken.add(part);
        return this;
    }

    /** Does this while a node is laid out, before it is done. */
    ScriptedServiceFactory atInstall(String node, Runnable happens) {
        atInstall.put(node, happens);
        return this;
    }

    @Override
    public DatabaseHandle openDatabase(StandaloneConfig config, Consumer<String> notices) {
        RunningService running = open("database", () -> {});
        return new DatabaseHandle() {
            @Override
            public DataSource openPool(String name, int size) {
                return new PGSimpleDataSource(); // never connected
            }

            @Override
            public void close() {
                running.close();
            }
        };
    }

    @Override
    public MetricsEndpoint startMetrics(StandaloneConfig config) {
        RunningService running = open("metrics", () -> {});
        return new MetricsEndpoint() {
            @Override
            public int port() {
                return 9464;
            }

            @Override
            public void close() {
                running.close();
            }
        };
    }

    @Override
    public RunningService startManifestService(Path config, Address address) {
        GrpcServer host = GrpcServer.builder().addService(new Catalog()).listen(address);
        return open("manifests", host::close);
    }

    @Override
    public RunningService startHealthEvaluator(Address address) {
        return open("health", () -> {});
    }

    @Override
    public RunningGateway startGateway(
            GatewaySettings endpoints, DataSource database, AgentTimings pace) {
        GrpcServer host =
                GrpcServer.builder().addService(new Directory()).listen(endpoints.internal());
        RunningService running = open("gateway", host::close);
        return new RunningGateway() {
            @Override
            public int nodeTokenAgentPort() {
                return 9091;
            }

            @Override
            public int certificateAgentPort() {
                return 9092;
            }

            @Override
            public int enrollmentPort() {
                return 9093;
            }

            @Override
            public void close() {
                running.close();
            }
        };
    }

    @Override
    public RunningCoordinator startCoordinator(CoordinatorSettings endpoints, DataSource database) {
        RunningService running = open("coordinator", () -> {});
        return new RunningCoordinator() {
            @Override
            public int grpcPort() {
                return 9090;
            }

            @Override
            public int httpPort() {
                return 8080;
            }

            @Override
            public void close() {
                running.close();
            }
        };
    }

    @Override
    public Optional<Set<String>> findInstalledPrograms(NodeDirectory node) {
        return installed.contains(node.name()) ? Optional.of(Set.of()) : Optional.empty();
    }

    @Override
    public void installInitialPrograms(NodeInstallation installation) {
        String node = installation.node().name().value();
        atInstall.getOrDefault(node, () -> {}).run();
        log.add("install " + node);
        installed.add(node);
    }

    @Override
    public RunningService startAgent(NodeDirectory node, Address gateway, AgentTimings pace) {
        RunningService agent = open("agent " + node.name(), () -> online.remove(node.name()));
        online.add(node.name());
        return agent;
    }

    private RunningService open(String part, Runnable close) {
        if (broken.contains(part)) {
            close.run();
            throw new UserFacingError("The " + part + " is broken.");
        }
        log.add("+" + part);
        return () -> {
            close.run();
            log.add("-" + part);
        };
    }

    private static final class Catalog extends ManifestCatalogServiceImplBase {
        @Override
        public void listChainProfiles(
                ListChainProfilesRequest request,
                StreamObserver<ListChainProfilesResponse> answer) {
            StandaloneNodes block =
                    StandaloneNodes.newBuilder()
                            .setNamePrefix("berth")
                            .setNodeType("edge")
                            .addPrograms(
                                    InitialProgram.newBuilder()
                                            .setName("greeter")
                                            .setVersion("v1")
                                            .setUrl("file:///greeter")
                                            .setChecksum("sha256:" + "c".repeat(64)))
                            .build();
            answer.onNext(
                    ListChainProfilesResponse.newBuilder()
                            .addProfiles(
                                    ChainProfile.newBuilder().setId("harbour").setStandalone(block))
                            .build());
            answer.onCompleted();
        }

        @Override
        public void renderConfigs(
                RenderConfigsRequest request, StreamObserver<RenderConfigsResponse> answer) {
            answer.onNext(
                    RenderConfigsResponse.newBuilder()
                            .addNodes(
                                    RenderedNode.newBuilder()
                                            .setProgram(
                                                    ProgramSpec.newBuilder()
                                                            .setName("greeter")
                                                            .setPath("/greeter")))
                            .build());
            answer.onCompleted();
        }
    }

    private final class Directory extends NodeDirectoryServiceImplBase {
        @Override
        public void registerNode(
                RegisterNodeRequest request, StreamObserver<RegisterNodeResponse> answer) {
            registered.put(request.getNodeId(), request);
            answer.onNext(RegisterNodeResponse.getDefaultInstance());
            answer.onCompleted();
        }

        @Override
        public void listDirectory(
                ListDirectoryRequest request, StreamObserver<ListDirectoryResponse> answer) {
            ListDirectoryResponse.Builder nodes = ListDirectoryResponse.newBuilder();
            online.forEach(id -> nodes.addNodes(Node.newBuilder().setId(id).setOnline(true)));
            answer.onNext(nodes.build());
            answer.onCompleted();
        }
    }
}
