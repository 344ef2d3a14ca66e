package drover.opsagent.selfupgrade;

import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.process.LinuxProcesses;
import drover.opsagent.time.AgentStopping;
import drover.opsagent.time.Deadline;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs a jar with {@code --self-test} and the flags of this agent. It has to exit with 0, and its
 * last line to be its version and {@code ok}.
 *
 * @param outputFile file that takes what it says; overwritten each time, kept for people
 */
public record JarSelfTestRunner(AgentCommandLine command, Path outputFile)
        implements VersionSelfTest {
    private static final int MOST_READ = 64 * 1024;

    @Override
    public void test(Path jar, AgentVersionNumber version, Deadline deadline) {
        int exit = run(command.selfTestCommand(jar), deadline);
        String line = lastLine();
        if (exit != 0) {
            throw selfTestFailure("exit code " + exit + ", " + line);
        }
        String[] words = line.split(" ", -1);
        boolean healthy = words.length == 2 && words[1].equals("ok");
        boolean same =
                healthy
                        && AgentVersionNumber.isValid(words[0])
                        && AgentVersionNumber.of(words[0]).equals(version);
        if (!same) {
            throw selfTestFailure("it should say '" + version + " ok', it says '" + line + "'");
        }
    }

    private int run(List<String> words, Deadline deadline) {
        ProcessBuilder builder = new ProcessBuilder(words);
        builder.environment().keySet().retainAll(LinuxProcesses.PASSED_ON);
        builder.redirectErrorStream(true).redirectOutput(outputFile.toFile());
        builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            throw selfTestFailure(String.valueOf(e.getMessage()));
        }
        try {
            if (!process.waitFor(deadline.left().toNanos(), TimeUnit.NANOSECONDS)) {
                throw selfTestFailure("it did not end in time");
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AgentStopping(e);
        } finally {
            process.destroyForcibly();
        }
    }

    private String lastLine() {
        try (var in = Files.newInputStream(outputFile)) {
            in.skipNBytes(Math.max(0, Files.size(outputFile) - MOST_READ));
            String text = new String(in.readNBytes(MOST_READ), StandardCharsets.UTF_8);
            List<String> lines = text.lines().filter(line -> !line.isBlank()).toList();
            return lines.isEmpty() ? "nothing was said" : lines.getLast().strip();
        } catch (IOException e) {
            return "what it said cannot be read";
        }
    }

    private static ActionFailed selfTestFailure(String what) {
        return new ActionFailed(
                ReasonCode.SELF_TEST_FAILED,
                "The agent's new version did not pass its own test ("
                        + what
                        + "): it stays on the disk to be looked at, mend it.");
    }
}
