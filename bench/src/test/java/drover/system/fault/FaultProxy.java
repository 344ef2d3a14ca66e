package drover.system.fault;

import drover.system.fault.Fault.Direction;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * All connections from one process to another, which lead through here: they can be ended, held up
 * or robbed of what is sent, each direction by itself.
 */
public final class FaultProxy implements AutoCloseable {
    private final ServerSocket socket;
    private final IntSupplier there;
    private final boolean toPostgres;
    private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();

    // What is done to it now.
    private final Set<Direction> held = EnumSet.noneOf(Direction.class);
    private final Set<Direction> lost = EnumSet.noneOf(Direction.class);
    private boolean cut;
    private boolean commitsUnanswered;
    private @Nullable Catch caught; // what is lain in wait for

    /** Whoever comes there is caught, once. */
    private record Catch(LeaderFaultPoint place, CompletableFuture<Void> reached) {}

    private FaultProxy(ServerSocket socket, IntSupplier there, boolean toPostgres) {
        this.socket = socket;
        this.there = there;
        this.toPostgres = toPostgres;
    }

    /**
     * Opens it.
     *
     * @param here where it listens; port 0 for any
     * @param there the port of this machine that it leads to, asked for at each connection
     */
    static FaultProxy open(InetSocketAddress here, IntSupplier there) {
        return open(here, there, false);
    }

    private static FaultProxy open(InetSocketAddress here, IntSupplier there, boolean toPostgres) {
        try {
            ServerSocket socket = new ServerSocket();
            socket.setReuseAddress(true);
            socket.bind(here, 256);
            FaultProxy link = new FaultProxy(socket, there, toPostgres);
            Thread.ofPlatform().daemon().name("link").start(link::accept);
            return link;
        } catch (IOException e) {
            throw new UncheckedIOException("No link can be opened at " + here, e);
        }
    }

    /** The same on 127.0.0.1 and any port. */
    static FaultProxy open(IntSupplier there) {
        return open(anywhere(), there, false);
    }

    /** One that understands what is said to PostgreSQL. */
    static FaultProxy toPostgres(IntSupplier there) {
        return open(anywhere(), there, true);
    }

    private static InetSocketAddress anywhere() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    boolean leadsToPostgres() {
        return toPostgres;
    }

    int port() {
        return socket.getLocalPort();
    }

    /** Ends what is connected, and whatever connects, at once. */
    public void cut() {
        synchronized (this) {
            cut = true;
        }
        connections.forEach(ProxiedConnection::end);
    }

    /** Keeps what is sent in this direction, and delivers it when healed. */
    public synchronized void hold(Direction direction) {
        held.add(direction);
    }

    /** Takes what is sent in this direction, and never delivers it. */
    public synchronized void lose(Direction direction) {
        lost.add(direction);
    }

    /** Delivers every COMMIT to PostgreSQL, and ends the connection in place of the answer. */
    public synchronized void leaveCommitsUnanswered() {
        commitsUnanswered = true;
    }

    /**
     * Holds what the place keeps, once, when it is reached; to both ends that is as if the other
     * had been stopped there.
     *
     * @return completed when it is reached
     */
    public synchronized CompletableFuture<Void> catchAt(LeaderFaultPoint place) {
        CompletableFuture<Void> reached = new CompletableFuture<>();
        caught = new Catch(place, reached);
        return reached;
    }

    /**
     * A COMMIT is about to be passed on, or its answer.
     *
     * @param statements what is committed
     */
    synchronized void passes(Direction direction, List<String> statements) {
        Catch now = caught;
        if (now != null && now.place().at() == direction && now.place().isIn(statements)) {
            caught = null;
            held.addAll(now.place().keeps());
            now.reached().complete(null);
        }
    }

    /** Ends what is connected and loses what was held: so it is when a process is no more. */
    public void dropHeld() {
        cut();
        heal();
    }

    /** Nothing is done to it any more. Connections that have lost something stay mute. */
    public synchronized void heal() {
        cut = false;
        held.clear();
        lost.clear();
        commitsUnanswered = false;
        caught = null;
        notifyAll();
    }

    synchronized boolean leavesCommitsUnanswered() {
        return commitsUnanswered;
    }

    /** Waits while the direction is held; says whether what is sent now is lost. */
    synchronized boolean isLostOnceLetThrough(Direction direction) {
        try {
            while (held.contains(direction)) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
        return lost.contains(direction);
    }

    private synchronized boolean isCut() {
        return cut;
    }

    private void accept() {
        while (!socket.isClosed()) {
            try {
                connect(socket.accept());
            } catch (IOException e) {
                if (socket.isClosed()) {
                    return;
                }
            }
        }
    }

    private void connect(Socket caller) throws IOException {
        if (isCut()) {
            caller.close();
            return;
        }
        Socket called = new Socket();
        try {
            called.connect(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), there.getAsInt()));
        } catch (IOException e) {
            caller.close(); // nobody is there, and the caller hears of it
            called.close();
            return;
        }
        ProxiedConnection connection = new ProxiedConnection(this, caller, called);
        connections.add(connection);
        connection.start(() -> connections.remove(connection));
        if (isCut()) { // meanwhile
            connection.end();
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            heal();
            connections.forEach(ProxiedConnection::end);
        }
    }
}
