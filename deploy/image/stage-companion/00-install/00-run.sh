#!/bin/bash -e
rm -rf "${ROOTFS_DIR}/root/companion"
mkdir -p "${ROOTFS_DIR}/root/companion"
tar --extract --file files/companion.tar --directory "${ROOTFS_DIR}/root/companion"
