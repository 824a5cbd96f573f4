package dev.tandem.rabbit;

import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.WriteListener;
import com.rabbitmq.client.impl.AMQConnection;
import com.rabbitmq.client.impl.Frame;
import com.rabbitmq.client.impl.FrameHandler;
import com.rabbitmq.client.impl.FrameHandlerFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketException;

/**
 * Makes connections that survive messages which the client cannot parse: their {@link HeaderFrame}s are rewritten before
 * the client sees them. Without this the client gives the connection up, and the broker redelivers the message to the
 * next one.
 */
final class TolerantConnectionFactory extends ConnectionFactory {

    @Override
    protected synchronized FrameHandlerFactory createFrameHandlerFactory() throws IOException {
        FrameHandlerFactory factory = super.createFrameHandlerFactory();
        return (address, connectionName) -> new TolerantFrameHandler(factory.create(address, connectionName));
    }

    /** Reads frames from another handler. Used by the threads that may use that one. */
    private record TolerantFrameHandler(FrameHandler frames) implements FrameHandler {

        /**
         * How much longer than agreed an incoming frame may be. A header frame is never split, and a broker adds headers
         * of its own (counts of deliveries, deaths) to one that filled the frame of its publisher.
         */
        private static final int FRAME_ALLOWANCE = 1 << 20;

        @Override
        public Frame readFrame() throws IOException {
            Frame frame = frames.readFrame();
            if (frame == null || !HeaderFrame.isHeader(FrameParts.type(frame))) {
                return frame;
            }
            byte[] payload = frame.getPayload();
            byte[] readable = HeaderFrame.readable(payload);
            return readable == payload ? frame : new Frame(FrameParts.type(frame), FrameParts.channel(frame), readable);
        }

        @Override
        public void setFrameMax(int bytes) {
            frames.setFrameMax(bytes == 0 ? 0 : bytes + FRAME_ALLOWANCE);
        }

        @Override
        public boolean internalHearbeat() {
            return frames.internalHearbeat();
        }

        @Override
        public void setTimeout(int millis) throws SocketException {
            frames.setTimeout(millis);
        }

        @Override
        public int getTimeout() throws SocketException {
            return frames.getTimeout();
        }

        @Override
        public void sendHeader() throws IOException {
            frames.sendHeader();
        }

        @Override
        public void initialize(AMQConnection connection) {
            frames.initialize(connection);
        }

        @Override
        public void startProcessing() {
            frames.startProcessing();
        }

        @Override
        public void finishConnectionNegotiation() {
            frames.finishConnectionNegotiation();
        }

        @Override
        public void writeFrame(Frame frame) throws IOException {
            frames.writeFrame(frame);
        }

        @Override
        public void flush(WriteListener listener) throws IOException {
            frames.flush(listener);
        }

        /** Overrides a method of earlier releases of the client: see {@link FrameParts}. */
        @SuppressWarnings("unused")
        public void flush() throws IOException {
            FrameParts.flush(frames);
        }

        @Override
        public void close() {
            frames.close();
        }

        @Override
        public InetAddress getLocalAddress() {
            return frames.getLocalAddress();
        }

        @Override
        public int getLocalPort() {
            return frames.getLocalPort();
        }

        @Override
        public InetAddress getAddress() {
            return frames.getAddress();
        }

        @Override
        public int getPort() {
            return frames.getPort();
        }
    }
}
