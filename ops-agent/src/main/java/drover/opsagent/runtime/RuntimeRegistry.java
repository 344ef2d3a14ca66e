package drover.opsagent.runtime;

import drover.model.program.RuntimeName;
import drover.opsagent.policy.LocalPolicy;
import drover.opsagent.policy.OwnerCheckingFileReader;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.SortedMap;
import java.util.TreeMap;

/** The runtimes that this agent knows, by name, and what its flags say about the one it uses. */
public final class RuntimeRegistry {
    /** Of jars that run within the agent. */
    private static final List<String> OWNERS = List.of(System.getProperty("user.name"), "root");

    private final SortedMap<String, RuntimeProvider> providers = new TreeMap<>();

    private final Map<String, String> settings;
    private final LocalPolicy policy;

    private RuntimeRegistry(Map<String, String> settings, LocalPolicy policy) {
        this.settings = Map.copyOf(settings);
        this.policy = policy;
    }

    private RuntimeRegistry(Iterable<RuntimeProvider> found, Map<String, String> settings) {
        this(settings, LocalPolicy.WHOLE_ROOT);
        for (RuntimeProvider provider : found) {
            String name = new RuntimeName(provider.name()).value();
            if (providers.putIfAbsent(name, provider) != null) {
                throw new IllegalArgumentException(
                        "Two runtimes are called " + provider.name() + ": remove one jar.");
            }
        }
    }

    /** Those that come with the agent. */
    public static RuntimeRegistry builtIn(Map<String, String> settings) {
        return new RuntimeRegistry(
                ServiceLoader.load(RuntimeProvider.class, RuntimeRegistry.class.getClassLoader()),
                settings);
    }

    /**
     * These, and those of the jars in a directory.
     *
     * @throws IllegalArgumentException when the directory cannot be read, a name is taken, or
     *     another user may have written a jar
     */
    public static RuntimeRegistry withPlugins(Path directory, Map<String, String> settings) {
        List<URL> jars = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.jar")) {
            for (Path jar : files) {
                new OwnerCheckingFileReader(jar, OWNERS, false).requireProtected();
                jars.add(jar.toUri().toURL());
            }
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "The runtimes in " + directory + " cannot be read: check the directory.", e);
        }
        // Never closed: a runtime loads classes for as long as the agent lives.
        ClassLoader loader =
                new URLClassLoader(
                        jars.toArray(URL[]::new), RuntimeRegistry.class.getClassLoader());
        return new RuntimeRegistry(ServiceLoader.load(RuntimeProvider.class, loader), settings);
    }

    /** The same, within the bounds that the node's owner set. */
    public RuntimeRegistry withPolicy(LocalPolicy bounds) {
        RuntimeRegistry bounded = new RuntimeRegistry(settings, bounds);
        bounded.providers.putAll(providers);
        return bounded;
    }

    /** The bounds that the node's owner set. */
    public LocalPolicy policy() {
        return policy;
    }

    /**
     * The runtime of a name.
     *
     * @throws IllegalArgumentException when there is none
     */
    public NodeRuntime open(String name, RuntimeContext ports) {
        RuntimeProvider provider = providers.get(name);
        if (provider == null) {
            throw new IllegalArgumentException(
                    "'"
                            + name
                            + "' is no runtime of this agent, which has "
                            + String.join(", ", providers.keySet())
                            + ".");
        }
        return provider.open(ports.withSettingsAndPolicy(settings, policy));
    }
}
