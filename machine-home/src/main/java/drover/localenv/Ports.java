package drover.localenv;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/** Ports of this machine, on 127.0.0.1. */
public final class Ports {
    // Below what Linux gives to outgoing connections (32768 and up): a port that was chosen for a
    // program must still be free when the program is started again.
    private static final int FIRST = 18_100;
    private static final int LAST = 31_900;

    private Ports() {}

    /**
     * Checks that a port can be listened on; 0 always can.
     *
     * @param flag the flag that chooses the port, named when it is taken
     * @throws UserFacingError when another program has it
     */
    public static void requireFree(int port, String flag) {
        if (port < 0 || port > 65_535) {
            throw new UserFacingError(
                    flag + " " + port + " is no port; write a number from 0 to 65535.");
        }
        if (port != 0 && !isFree(port)) {
            throw portInUseError(port, flag);
        }
    }

    /** What to say when a port is taken. */
    public static UserFacingError portInUseError(int port, String flag) {
        return new UserFacingError(
                "Port "
                        + port
                        + " is taken by another program; choose another one with "
                        + flag
                        + " PORT (0 takes any free one).");
    }

    /**
     * A free port for a program, none of {@code reserved}. Looked for from a place of chance on:
     * the meshes of one machine would otherwise all begin with the same ports, and take what
     * another's program leaves for the moment of its restart.
     */
    public static int findFree(Set<Integer> reserved) {
        int size = LAST - FIRST + 1;
        int start = ThreadLocalRandom.current().nextInt(size);
        OptionalInt found =
                IntStream.range(0, size)
                        .map(step -> FIRST + (start + step) % size)
                        .filter(port -> !reserved.contains(port) && isFree(port))
                        .findFirst();
        return found.orElseThrow(
                () ->
                        new UserFacingError(
                                "No port between "
                                        + FIRST
                                        + " and "
                                        + LAST
                                        + " is free; stop some programs of this machine."));
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true); // as servers do: a port in TIME_WAIT is free
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
