package drover.opsagent.fetch;

import drover.opsagent.disk.Disk;

/** A file that starts empty and whose bytes no later download continues. */
record WriterTarget(Disk.DiskFileWriter file) implements DownloadTarget {
    @Override
    public void write(byte[] bytes, int offset, int length) {
        file.write(bytes, offset, length);
    }

    @Override
    public void restart(String entityTag) {
        file.truncate();
    }

    @Override
    public void sync() {
        file.sync();
    }
}
