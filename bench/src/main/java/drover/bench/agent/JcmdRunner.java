package drover.bench.agent;

import drover.localenv.UserFacingError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The JDK's own questions to a process of Java. */
public final class JcmdRunner {
    private JcmdRunner() {}

    /** What a process answers to a question, in jcmd's words. */
    public static String run(long pid, String... question) {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        List<String> command = new ArrayList<>(List.of(jcmd.toString(), Long.toString(pid)));
        command.addAll(List.of(question));
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            String text =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            process.waitFor();
            return text;
        } catch (IOException e) {
            throw new UserFacingError(jcmd + " cannot be started: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserFacingError("The measurement was ended.", e);
        }
    }
}
