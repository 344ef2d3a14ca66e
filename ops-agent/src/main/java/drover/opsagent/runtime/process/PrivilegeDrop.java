package drover.opsagent.runtime.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Builds command lines of {@code setpriv}, which drops the privileges of a command. */
final class PrivilegeDrop {
    /** {@code CAP_KILL}, {@code CAP_SETGID} and {@code CAP_SETUID}, to become and end another. */
    private static final long NEEDED = 1L << 5 | 1L << 6 | 1L << 7;

    private static final List<Path> SETPRIV =
            List.of(Path.of("/usr/bin/setpriv"), Path.of("/bin/setpriv"));

    /** Its ids are the same on every Linux, also without an entry in {@code /etc/passwd}. */
    private static final String DEFAULT_USER = "nobody";

    private PrivilegeDrop() {}

    /** Account of an unprivileged user. */
    private record Account(String name, int user, int group) {}

    static UnprivilegedCommandResult wrap(List<String> command, String user) throws IOException {
        Optional<Path> setpriv = SETPRIV.stream().filter(Files::isExecutable).findFirst();
        if (setpriv.isEmpty()) {
            return new UnprivilegedCommandResult.Unavailable(
                    "it is not run: install setpriv, which takes privileges from it");
        }
        List<String> line = new ArrayList<>(List.of(setpriv.get().toString()));
        Map<String, String> environment = new HashMap<>();
        AgentProcessPrivileges self = AgentProcessPrivileges.readOwn();
        if (self.user() == 0) {
            if ((self.capabilities() & NEEDED) != NEEDED) {
                return new UnprivilegedCommandResult.Unavailable(
                        "it is not run: an agent of root needs CAP_KILL, CAP_SETGID and CAP_SETUID"
                                + " to run it without privileges");
            }
            Optional<Account> account = findUnprivilegedAccount(user);
            if (account.isEmpty()) {
                return new UnprivilegedCommandResult.Unavailable(
                        "it is not run: /etc/passwd has no unprivileged user " + user);
            }
            line.add("--reuid=" + account.get().user());
            line.add("--regid=" + account.get().group());
            line.add("--clear-groups");
            environment.put("HOME", "/");
            environment.put("USER", account.get().name());
        }
        line.addAll(List.of("--no-new-privs", "--inh-caps=-all", "--"));
        line.addAll(command);
        return new UnprivilegedCommandResult.Ready(line, environment);
    }

    /** What the kernel says of the agent's own process. */
    private record AgentProcessPrivileges(int user, long capabilities) {
        static AgentProcessPrivileges readOwn() throws IOException {
            int user = -1;
            long capabilities = 0;
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                String[] words = line.split("\\s+", -1);
                if (words[0].equals("Uid:")) {
                    user = Integer.parseInt(words[2]); // the effective one
                } else if (words[0].equals("CapEff:")) {
                    capabilities = Long.parseUnsignedLong(words[1], 16);
                }
            }
            return new AgentProcessPrivileges(user, capabilities);
        }
    }

    private static Optional<Account> findUnprivilegedAccount(String name) throws IOException {
        for (String line : Files.readAllLines(Path.of("/etc/passwd"))) {
            String[] fields = line.split(":", -1);
            if (fields.length > 3 && fields[0].equals(name) && isNumber(fields[2])) {
                Account found =
                        new Account(name, Integer.parseInt(fields[2]), Integer.parseInt(fields[3]));
                return found.user() == 0 ? Optional.empty() : Optional.of(found);
            }
        }
        return name.equals(DEFAULT_USER)
                ? Optional.of(new Account(name, 65_534, 65_534))
                : Optional.empty();
    }

    private static boolean isNumber(String text) {
        return text.matches("[0-9]{1,9}");
    }
}
