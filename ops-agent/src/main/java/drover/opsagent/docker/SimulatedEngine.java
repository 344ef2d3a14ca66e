package drover.opsagent.docker;

import drover.model.Digest;
import drover.model.program.StopSignal;
import drover.opsagent.docker.engine.Container;
import drover.opsagent.docker.engine.ContainerEngine;
import drover.opsagent.docker.engine.EngineFailed;
import drover.opsagent.docker.engine.EngineJson;
import drover.opsagent.docker.engine.Image;
import drover.opsagent.docker.engine.ImageDigests;
import drover.opsagent.docker.engine.RestartPolicy;
import drover.opsagent.docker.recreate.ContainerPredictor;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * An engine without an operating system. Its containers live apart from the agent; a restart of the
 * engine ends them and starts those whose restart policy says so. What a program does is scripted
 * by its image's digest.
 */
public final class SimulatedEngine implements ContainerEngine {
    private final Ticker ticker;
    private final Map<String, ProgramBehavior> behaviours = new HashMap<>();
    private final Map<String, Image> images = new TreeMap<>();
    private final Set<String> got = new HashSet<>();
    private final Map<String, Container> containers = new TreeMap<>();
    private final List<String> violations = new ArrayList<>();
    private final List<StopSignal> signals = new ArrayList<>();
    private Runnable beforeEachEffect = () -> {};
    private Consumer<Container> onStart = container -> {};
    private boolean unavailable;
    private boolean logsUnavailable;
    private int made;
    private int starts;

    /** What a program does. */
    public enum ProgramBehavior {
        /** Runs until it is stopped. */
        RUNS,
        /** Runs, and ignores signals until it is killed. */
        IGNORES_SIGNALS,
        /** Runs, and the engine rejects each stop. */
        CANNOT_BE_STOPPED,
        /** Ends as soon as it is started. */
        FALLS,
        /** Cannot even be started. */
        CANNOT_START
    }

    /** An engine with nothing on it. */
    public SimulatedEngine(Ticker ticker) {
        this.ticker = ticker;
    }

    /** Puts an image into the registry. */
    public synchronized void pushImage(
            String pinned, ObjectNode config, ProgramBehavior behaviour) {
        pushImage(pinned, config, behaviour, "linux/amd64");
    }

    /** The same for another platform. */
    synchronized void pushImage(
            String pinned, ObjectNode config, ProgramBehavior behaviour, String platform) {
        Digest digest = ImageDigests.findPinned(pinned).orElseThrow();
        addImage(pinned, "id of " + digest, List.of(pinned), config, behaviour, platform);
    }

    /** Makes an image on this engine, which no registry has. */
    public synchronized void buildImage(String name, ObjectNode config, ProgramBehavior behaviour) {
        got.add(addImage(name, "id of " + name, List.of(), config, behaviour, "linux/amd64"));
    }

    private String addImage(
            String name,
            String id,
            List<String> pins,
            ObjectNode config,
            ProgramBehavior behaviour,
            String platform) {
        int slash = platform.indexOf('/');
        ObjectNode json = EngineJson.newObject().put("Id", Digest.of(id).value());
        EngineJson.putStrings(json, "RepoDigests", pins);
        json.put("Os", platform.substring(0, slash));
        json.put("Architecture", platform.substring(slash + 1));
        json.set("Config", config.deepCopy());
        images.put(name, new Image(json));
        behaviours.put(EngineJson.stringField(json, "Id"), behaviour);
        return EngineJson.stringField(json, "Id");
    }

    /** Runs this before each change: a place to crash. */
    public synchronized void setChangeHook(Runnable hook) {
        beforeEachEffect = hook;
    }

    /** Tells of each start, at the moment it happens. */
    public synchronized void setStartObserver(Consumer<Container> observer) {
        onStart = observer;
    }

    /** Whether it answers. */
    public synchronized void setUnavailable(boolean now) {
        unavailable = now;
    }

    /** The same engine, apart from this one. */
    public synchronized SimulatedEngine snapshot() {
        SimulatedEngine copy = new SimulatedEngine(ticker);
        copy.behaviours.putAll(behaviours);
        copy.images.putAll(images);
        copy.got.addAll(got);
        containers.forEach(
                (id, it) -> copy.containers.put(id, new Container(it.json().deepCopy())));
        copy.violations.addAll(violations);
        copy.made = made;
        copy.starts = starts;
        return copy;
    }

    /** The engine or the machine is started again: what it then starts is by restart policy. */
    public synchronized void restartEngine() {
        for (Container container : containers.values()) {
            if (container.isRunningOrRestarting()) {
                markStopped(container);
            }
        }
        for (Container container : List.copyOf(containers.values())) {
            String policy = container.restartPolicy().name();
            boolean ran = EngineJson.booleanField(container.json(), "Ran");
            if (policy.equals("always") || (!policy.equals("no") && ran)) {
                startContainer(container);
            }
        }
    }

    /** What must never be: two running containers with one volume or directory. */
    public synchronized List<String> sharedMountViolations() {
        return List.copyOf(violations);
    }

    /** Every container as the engine describes it. */
    public synchronized List<Container> allContainers() {
        return List.copyOf(containers.values());
    }

    @Override
    public synchronized Optional<Container> findContainer(String nameOrId) {
        requireAvailable();
        return containers.values().stream()
                .filter(it -> it.name().equals(nameOrId) || it.id().equals(nameOrId))
                .map(it -> new Container(it.json().deepCopy()))
                .findFirst();
    }

    @Override
    public synchronized List<String> containerNamesWithPrefix(String prefix) {
        requireAvailable();
        return containers.values().stream()
                .map(Container::name)
                .filter(name -> name.startsWith(prefix))
                .toList();
    }

    @Override
    public synchronized Optional<Image> findImage(String nameOrId) {
        requireAvailable();
        return images.entrySet().stream()
                .filter(it -> got.contains(it.getValue().id()))
                .filter(it -> it.getKey().equals(nameOrId) || it.getValue().id().equals(nameOrId))
                .map(Map.Entry::getValue)
                .findFirst();
    }

    @Override
    public synchronized void pull(String pinned, Deadline deadline, IntConsumer percent) {
        beforeChange();
        Image image = images.get(pinned);
        if (image == null) {
            throw EngineFailed.rejected("manifest for " + pinned + " not found: manifest unknown");
        }
        percent.accept(100);
        got.add(image.id());
    }

    @Override
    public synchronized Set<String> fetchPlatforms(String pinned, Deadline deadline) {
        requireAvailable();
        Image image = images.get(pinned);
        if (image == null) {
            throw EngineFailed.rejected("manifest for " + pinned + " not found: manifest unknown");
        }
        return image.platform().isEmpty() ? Set.of() : Set.of(image.platform());
    }

    @Override
    public synchronized String create(String name, ObjectNode body) {
        beforeChange();
        requireNameFree(name);
        Image image =
                findImage(EngineJson.stringField(body, "Image"))
                        .orElseThrow(() -> EngineFailed.rejected("No such image"));
        ObjectNode json = ContainerPredictor.predict(body, List.of(), image).json();
        String id = Digest.of("container " + ++made).value().substring("sha256:".length());
        json.put("Id", id).put("Name", "/" + name).put("RestartCount", 0);
        ObjectNode config = EngineJson.putObjectCopy(json, "Config");
        if (EngineJson.stringField(config, "Hostname").isEmpty()) {
            config.put("Hostname", id.substring(0, 12));
        }
        for (JsonNode mount : json.path("Mounts").values()) {
            if (mount instanceof ObjectNode open
                    && EngineJson.stringField(mount, "Name")
                            .equals(ContainerPredictor.NEW_VOLUME)) {
                open.put("Name", "volume-" + made + EngineJson.stringField(mount, "Destination"));
            }
        }
        json.set("State", EngineJson.newObject().put("Running", false).put("StartedAt", "never"));
        containers.put(id, new Container(json));
        return id;
    }

    @Override
    public synchronized void connectToNetwork(String network, String id, ObjectNode endpoint) {
        beforeChange();
        ObjectNode settings =
                EngineJson.putObjectCopy(requireContainer(id).json(), "NetworkSettings");
        EngineJson.putObjectCopy(settings, "Networks").set(network, endpoint);
    }

    @Override
    public synchronized void rename(String id, String name) {
        beforeChange();
        Container container = requireContainer(id);
        if (!container.name().equals(name)) {
            requireNameFree(name);
            container.json().put("Name", "/" + name);
        }
    }

    @Override
    public synchronized void start(String id) {
        beforeChange();
        if (!requireContainer(id).isRunning()) {
            requireContainer(id).json().put("RestartCount", 0);
            startContainer(requireContainer(id));
        }
    }

    private void startContainer(Container container) {
        ProgramBehavior behaviour =
                Objects.requireNonNull(behaviours.get(container.imageId()), "an unknown image");
        if (behaviour == ProgramBehavior.CANNOT_START) {
            throw EngineFailed.rejected("OCI runtime create failed: exec format error");
        }
        onStart.accept(container);
        for (Container other : containers.values()) {
            if (other.isRunning()
                    && other.mounts().stream().anyMatch(container.mounts()::contains)) {
                violations.add(container.name() + " runs beside " + other.name());
            }
        }
        boolean runs = behaviour != ProgramBehavior.FALLS;
        container.json().put("Ran", true);
        container
                .json()
                .set(
                        "State",
                        EngineJson.newObject()
                                .put("Running", runs)
                                .put("StartedAt", "start " + ++starts));
    }

    private static void markKilled(Container container) {
        markStopped(container);
        EngineJson.putObjectCopy(container.json(), "State").put("ExitCode", 128 + 9); // SIGKILL
    }

    private static void markStopped(Container container) {
        EngineJson.putObjectCopy(container.json(), "State").put("Running", false);
    }

    /** Every signal that was sent, the latest last. */
    public synchronized List<StopSignal> signals() {
        return List.copyOf(signals);
    }

    @Override
    public synchronized void stop(String id, Duration grace) {
        beforeChange();
        if (behaviours.get(requireContainer(id).imageId()) == ProgramBehavior.CANNOT_BE_STOPPED) {
            throw EngineFailed.rejected("The engine does not stop it");
        }
        Container container = requireContainer(id);
        if (container.isRunning()
                && behaviours.get(container.imageId()) == ProgramBehavior.IGNORES_SIGNALS) {
            ticker.pause(grace);
            markKilled(container);
        }
        markStopped(container);
        container.json().put("Ran", false);
    }

    @Override
    public synchronized void signal(String id, StopSignal signal) {
        beforeChange();
        signals.add(signal);
        Container container = requireContainer(id);
        if (behaviours.get(container.imageId()) != ProgramBehavior.IGNORES_SIGNALS) {
            markStopped(container);
        }
    }

    @Override
    public synchronized void kill(String id) {
        beforeChange();
        markKilled(requireContainer(id));
    }

    @Override
    public synchronized void remove(String id) {
        beforeChange();
        Container container = containers.get(id);
        if (container != null && container.isRunning()) {
            throw EngineFailed.rejected("You cannot remove a running container");
        }
        containers.remove(id);
    }

    @Override
    public synchronized void setRestartPolicy(String id, RestartPolicy policy) {
        beforeChange();
        EngineJson.putObjectCopy(requireContainer(id).json(), "HostConfig")
                .set("RestartPolicy", policy.toJson());
    }

    @Override
    public synchronized String logTail(Container container, int bytes) {
        requireAvailable();
        if (logsUnavailable) {
            throw EngineFailed.rejected("The log driver does not support reading");
        }
        return "output of " + requireContainer(container.id()).name();
    }

    @Override
    public synchronized String earlierLogTail(Container container, int bytes) {
        return "earlier " + logTail(container, bytes);
    }

    /** From now on, or no longer, logs cannot be read, as with the log driver {@code none}. */
    public synchronized void setLogsUnavailable(boolean unavailable) {
        logsUnavailable = unavailable;
    }

    /** One container ends by itself; its engine starts it again if its restart policy says so. */
    public synchronized void crashContainer(String name) {
        Container container =
                findContainer(name).map(it -> requireContainer(it.id())).orElseThrow();
        markStopped(container);
        if (container.restartPolicy().startsContainer()) {
            container.json().put("RestartCount", container.restartCount() + 1);
            startContainer(container);
        }
    }

    private Container requireContainer(String id) {
        Container found = containers.get(id);
        if (found == null) {
            throw EngineFailed.rejected("No such container: " + id);
        }
        return found;
    }

    private void requireNameFree(String name) {
        if (containers.values().stream().anyMatch(it -> it.name().equals(name))) {
            throw EngineFailed.rejected("The container name /" + name + " is already in use");
        }
    }

    private void beforeChange() {
        requireAvailable();
        beforeEachEffect.run();
    }

    private void requireAvailable() {
        if (unavailable) {
            throw EngineFailed.unavailable("The engine cannot be reached on its socket", null);
        }
    }
}
