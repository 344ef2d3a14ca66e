package drover.opsagent.docker.engine;

import drover.model.program.StopSignal;
import drover.opsagent.time.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntConsumer;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a runtime needs of a container engine. Each operation fails with {@link EngineFailed}; one
 * that came too late or found the engine away may be asked again.
 */
public interface ContainerEngine {
    /** The container of this name or id. */
    Optional<Container> findContainer(String nameOrId);

    /** Names of all containers, running or not, that begin so. */
    List<String> containerNamesWithPrefix(String prefix);

    /** The image of this name or id, if the engine has it. */
    Optional<Image> findImage(String nameOrId);

    /**
     * Gets an image from its registry.
     *
     * @param pinned its name, pinned by a digest, which the engine checks
     * @param percent told how far it is, 0 to 100
     */
    void pull(String pinned, Deadline deadline, IntConsumer percent);

    /**
     * Asks the registry for an image, and gets nothing of it.
     *
     * @param pinned its name, pinned by a digest
     * @return the platforms that it is for, such as {@code linux/amd64}; empty when it names none
     */
    Set<String> fetchPlatforms(String pinned, Deadline deadline);

    /** Makes a container, which does not run, and says its id. */
    String create(String name, ObjectNode body);

    /** Joins a container to one more network. */
    void connectToNetwork(String network, String id, ObjectNode endpoint);

    /** Gives a container another name; fails when that is taken. */
    void rename(String id, String name);

    /** Starts a container; nothing happens when it runs. */
    void start(String id);

    /** Asks the container to end, and after the grace ends it; nothing happens when it is down. */
    void stop(String id, Duration grace);

    /** Sends the container's first process a signal; nothing happens when it is down. */
    void signal(String id, StopSignal signal);

    /** Ends the container; nothing happens when it is down. */
    void kill(String id);

    /** Removes a container that is down, never its volumes; nothing happens when it is gone. */
    void remove(String id);

    /** Changes when the engine starts the container by itself. */
    void setRestartPolicy(String id, RestartPolicy policy);

    /**
     * End of what a container printed in its current run, or in its last one if it is down; about
     * so many bytes.
     */
    String logTail(Container container, int bytes);

    /** End of what it printed before its current run. */
    String earlierLogTail(Container container, int bytes);
}
