package drover.opsagent.selfupgrade;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How this agent was started, so that another version can be started alike: the same Java, the same
 * options, the same flags, another jar.
 *
 * @param options of Java, before {@code -jar}
 * @param flags of the agent, after the jar
 */
public record AgentCommandLine(Path java, List<String> options, List<String> flags) {
    /** Flag with which a version tests itself. */
    public static final String SELF_TEST = "--self-test";

    public AgentCommandLine {
        options = List.copyOf(options);
        flags = List.copyOf(flags);
    }

    /**
     * Reads a command line.
     *
     * @param commandLine its words, the program first
     * @throws IllegalArgumentException when nothing in it is {@code -jar}
     */
    public static AgentCommandLine of(Path java, List<String> commandLine) {
        int jar = commandLine.indexOf("-jar");
        if (jar < 1 || jar + 1 >= commandLine.size()) {
            throw new IllegalArgumentException("The agent was not started with -jar");
        }
        return new AgentCommandLine(
                java,
                commandLine.subList(1, jar),
                commandLine.subList(jar + 2, commandLine.size()));
    }

    /** Starts this jar as this agent was started. */
    public List<String> startCommand(Path jar) {
        List<String> command = new ArrayList<>();
        command.add(java.toString());
        command.addAll(options);
        command.add("-jar");
        command.add(jar.toString());
        command.addAll(flags);
        return command;
    }

    /** Lets this jar test itself with the flags of this agent. */
    public List<String> selfTestCommand(Path jar) {
        List<String> command = startCommand(jar);
        command.add(SELF_TEST);
        return command;
    }
}
