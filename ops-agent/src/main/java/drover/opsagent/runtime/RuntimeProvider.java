package drover.opsagent.runtime;

/**
 * Makes a runtime of one name. Found as a service ({@link java.util.ServiceLoader}), also in jars
 * that are not part of Drover: a new kind of node is a provider and nothing else.
 */
public interface RuntimeProvider {
    /** The name in profiles and in {@code --runtime}, for example {@code systemd}. */
    String name();

    /**
     * The runtime on this node.
     *
     * @throws IllegalArgumentException with one sentence when a setting is not understood
     */
    NodeRuntime open(RuntimeContext ports);
}
